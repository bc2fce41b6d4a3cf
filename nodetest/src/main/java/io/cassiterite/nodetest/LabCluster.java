/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A cluster of small nodes that the command {@code cassiterite cluster} started, on 127.0.0.1, .2, .3 ... with free ports,
 * in build/nodes/NAME. Every call waits until the nodes are there; the nodes never outlive this JVM. For one thread.
 */
public final class LabCluster implements AutoCloseable
{
    private static final Duration BOUND = Duration.ofSeconds(600);

    private final String name;
    private final int cqlPort = FreePorts.next("127.0.0.1");

    private LabCluster(String name)
    {
        this.name = name;
    }

    /**
     * Starts a new cluster in place of one of that name.
     *
     * @param options as {@code cassiterite cluster up} has them, for example {@code "--engine", "stock"}
     */
    public static LabCluster up(String name, int nodes, String... options)
    {
        LabCluster cluster = new LabCluster(name);
        if (Files.exists(cluster.base().resolve("cluster.json")))
            cluster.run("down", "--delete").success();
        Checkout.delete(cluster.base());
        List<String> words = new ArrayList<>(List.of(
            "up", "--nodes", Integer.toString(nodes), "--heap", "512m", "--fast", "--die-with", owner(),
            "--cql-port", Integer.toString(cluster.cqlPort),
            "--storage-port", Integer.toString(FreePorts.next("127.0.0.1")),
            "--jmx-port", Integer.toString(FreePorts.next("127.0.0.1"))));
        words.addAll(Arrays.asList(options));
        cluster.run(words.toArray(String[]::new)).success();
        return cluster;
    }

    /** Adds a node that streams its part, and returns when it is up. Numbers count on from those of the first nodes. */
    public Output add()
    {
        return run("add", "--die-with", owner());
    }

    /** Takes a node out of the ring, after it has streamed its part to the others, and deletes it. */
    public Output decommission(int node)
    {
        return run("decommission", Integer.toString(node), "--force");
    }

    /** Kills a node as a power cut of the process would: SIGKILL. */
    public void killNine(int node)
    {
        run("kill", Integer.toString(node)).success();
    }

    /** Starts a node that is down. */
    public void start(int node)
    {
        run("start", Integer.toString(node), "--die-with", owner()).success();
    }

    /** Runs nodetool on a node, for example {@code nodetool(1, "status")}. */
    public Output nodetool(int node, String... arguments)
    {
        List<String> words = new ArrayList<>(List.of("nodetool", "--node", Integer.toString(node)));
        words.addAll(Arrays.asList(arguments));
        return run(words.toArray(String[]::new));
    }

    /** @return a new CQL connection to a node, numbered from 1; the caller closes it */
    public Cql cql(int node, String keyspace)
    {
        return Cql.connect(new InetSocketAddress("127.0.0." + node, cqlPort), keyspace);
    }

    /** Stops all nodes. Their folders stay, to be examined. */
    @Override
    public void close()
    {
        run("down").success();
    }

    private Path base()
    {
        return Checkout.nodes().resolve(name);
    }

    private Output run(String... words)
    {
        List<String> command = new ArrayList<>(List.of(Checkout.lab().toString(), "cluster", "--name", name, "--base",
                                                       base().toString()));
        command.addAll(Arrays.asList(words));
        return Command.run(command, BOUND);
    }

    private static String owner()
    {
        return Long.toString(ProcessHandle.current().pid());
    }
}
