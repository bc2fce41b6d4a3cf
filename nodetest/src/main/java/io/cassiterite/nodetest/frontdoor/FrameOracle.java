/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.StockTransport;
import io.cassiterite.nodetest.frontdoor.TwinConnection.Side;

/**
 * Sends random requests through the front door and to a stock transport of the same node, and compares the answers: see
 * {@link Comparison}. Rounds of some seconds, each with a keyspace, tables and connections of its own, and a seed that is
 * one more than that of the round before. One thread.
 */
public final class FrameOracle
{
    private static final int ROUND_SECONDS = 30;
    private static final int FINDINGS_MAX = 10;

    private final Map<Side, InetSocketAddress> addresses = new EnumMap<>(Side.class);
    private final Node node;
    private final Replicas replicas;
    private final TwinConnection.Fault fault;
    private final Path folder;
    private final Consumer<String> log;
    private final DoorReport report;
    private final FrameTally tally = new FrameTally();
    private final List<String> findings = new ArrayList<>();

    FrameOracle(Node node, Replicas replicas, InetSocketAddress stock, Consumer<String> log)
    {
        this(node, replicas, stock, TwinConnection.Fault.NONE, "oracle-frames", log);
    }

    /**
     * @param fault  changes answers of the door, to test the oracle
     * @param folder under build, for what is found
     */
    FrameOracle(Node node, Replicas replicas, InetSocketAddress stock, TwinConnection.Fault fault, String folder, Consumer<String> log)
    {
        this(node, replicas, node.cqlAddress(), stock, fault, folder, log);
    }

    /** @param door where the requests for the front door go */
    FrameOracle(Node node, Replicas replicas, InetSocketAddress door, InetSocketAddress stock, TwinConnection.Fault fault,
                String folder, Consumer<String> log)
    {
        this.node = node;
        this.replicas = replicas;
        report = new DoorReport(node);
        this.fault = fault;
        this.folder = Checkout.root().resolve("build").resolve(folder);
        StockTransport.await(node, stock);
        addresses.put(Side.DOOR, door);
        addresses.put(Side.STOCK, stock);
        this.log = log;
    }

    /**
     * Describes a node for the oracle.
     *
     * @param mode as {@code front_door}
     */
    public static NodeBuilder node(String name, String mode)
    {
        // Few tombstones, so that warnings and failures happen.
        NodeBuilder builder = Node.named(name).frontDoor(mode).yaml("auto_snapshot", "false").yaml("tombstone_warn_threshold", "100")
                   .yaml("tombstone_failure_threshold", "1000");
        return Replicas.COUNT == 1 ? builder.nativeWrites("on")
            : builder.ofChangingRing().patient().quorumReads("on").nativeWrites("replicated");
    }

    public void run(long seed, long seconds)
    {
        long endNanos = System.nanoTime() + seconds * 1_000_000_000;
        for (long roundSeed = seed; System.nanoTime() < endNanos && findings.size() < FINDINGS_MAX; roundSeed++)
            round(roundSeed, Math.min(endNanos, System.nanoTime() + ROUND_SECONDS * 1_000_000_000L));
    }

    private void round(long seed, long endNanos)
    {
        try (FrameRound round = new FrameRound("frames" + seed, addresses, replicas, fault, new Random(seed), tally))
        {
            for (int step = 0; System.nanoTime() < endNanos && findings.size() < FINDINGS_MAX; step++)
                step(round, seed, step);
            report.addStatements("frames" + seed);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private void step(FrameRound round, long seed, int step)
    {
        try
        {
            round.step();
        }
        catch (FrameMismatch e)
        {
            String finding = "seed " + seed + ", step " + step + ": " + e.getMessage() + '\n' + round.schema();
            findings.add(finding);
            log.accept(finding);
            save("seed-" + seed + "-step-" + step + ".txt", finding);
            save("seed-" + seed + "-step-" + step + "-threads.txt", threads());
        }
    }

    /** @return what the node's threads do, to tell why an answer is missing */
    private String threads()
    {
        try (Jmx jmx = node.jmx())
        {
            return (String) jmx.invoke("com.sun.management:type=DiagnosticCommand", "threadPrint", new Object[]{ new String[0] },
                                       new String[]{ String[].class.getName() });
        }
    }

    private void save(String name, String finding)
    {
        try
        {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name), finding);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** @return descriptions of all differences */
    public List<String> findings()
    {
        return findings;
    }

    public DoorReport report()
    {
        return report;
    }

    public FrameTally tally()
    {
        return tally;
    }
}
