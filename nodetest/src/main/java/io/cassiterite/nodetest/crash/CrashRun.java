/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.datastax.oss.driver.api.core.CqlSession;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

/**
 * Rounds of: writers write, the node is killed at a random time, started again under the next commitlog_sync mode, and
 * everything that was ever acknowledged is read back, also by answers of the front door's own. One thread.
 */
public final class CrashRun
{
    private static final int WRITERS = 4;
    private static final int WRITE_MILLIS_MIN = 500;
    private static final int WRITE_MILLIS_MAX = 5000;
    private static final int STOP_SECONDS = 180;

    private final String memtable;
    private final Random random;
    private final Ledger ledger;
    private final List<Writer> writers = new ArrayList<>();
    private final Verdict verdict = new Verdict();
    private final Consumer<String> output;
    private final String name;

    /** @param memtable the memtable of the tables; a stock one tests the test, under batch and group only */
    public CrashRun(String name, String memtable, long seed, Consumer<String> output) throws IOException
    {
        this.name = name;
        this.memtable = memtable;
        this.output = output;
        random = new Random(seed);
        Path file = Checkout.root().resolve("build/crash/ledger-" + seed + ".log");
        ledger = new Ledger(file);
        for (int i = 0; i < WRITERS; i++)
            writers.add(new Writer(i, seed, ledger));
        output.accept("crash: seed " + seed + ", acknowledged writes in " + file);
    }

    public Verdict run(int rounds) throws IOException
    {
        Checkout.delete(Checkout.nodes().resolve(name));
        for (int round = 0; round <= rounds && verdict.losses().isEmpty(); round++)
        {
            String mode = mode(round);
            try (Node node = start(mode))
            {
                check(node, round);
                if (round < rounds && verdict.losses().isEmpty())
                    output.accept(writeAndKill(node, round, mode));
            }
        }
        ledger.close();
        output.accept(String.format("crash: %d writes acknowledged, %d lost, deleted data back or half-written; %d unacknowledged batches"
                                    + " over two tables were applied to one of them only; the front door wrote %d, and %d answers of its"
                                    + " own were checked",
                                    ledger.acknowledged(), verdict.losses().size(), verdict.halfPairs(), verdict.nativeWrites(),
                                    verdict.nativeAnswers()));
        return verdict;
    }

    private String mode(int round)
    {
        String[] modes = memtable.equals("cassiterite") ? new String[]{ "periodic", "batch", "group" } : new String[]{ "batch", "group" };
        return modes[round % modes.length];
    }

    private Node start(String mode)
    {
        NodeBuilder builder = Node.named(name).keep().yaml("commitlog_sync", mode);
        if (mode.equals("group"))
            builder.yaml("commitlog_sync_group_window", "10ms");
        if (memtable.equals("cassiterite"))
            builder.frontDoor("reads").nativeWrites("on");
        else
            builder.stock();
        return builder.start();
    }

    private void check(Node node, int round)
    {
        try (Cql cql = node.cql())
        {
            if (round == 0)
                Tables.create(cql.session(), memtable);
            for (Writer writer : writers)
                writer.check(cql.session(), verdict);
            // stock tables are none of the front door's
            if (memtable.equals("cassiterite"))
                checkNatively(cql.session());
        }
        catch (IllegalStateException e)
        {
            verdict.lost(e.getMessage());
        }
        verdict.losses().forEach(output);
    }

    private void checkNatively(CqlSession session)
    {
        NativeReads reads = new NativeReads(session);
        for (Writer writer : writers)
            writer.checkNatively(reads, verdict);
        verdict.nativeAnswers(reads.answers());
    }

    private String writeAndKill(Node node, int round, String mode)
    {
        long before = ledger.acknowledged();
        ledger.record("round " + round + ", commitlog_sync " + mode);
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
        try (Cql cql = node.cql())
        {
            long answeredBefore = answered(cql);
            List<Future<?>> running = new ArrayList<>();
            for (Writer writer : writers)
                running.add(threads.submit(() -> writer.run(cql.session())));
            int millis = WRITE_MILLIS_MIN + random.nextInt(WRITE_MILLIS_MAX - WRITE_MILLIS_MIN);
            Thread.sleep(millis / 2);
            // every other kill is during a flush or a compaction
            if (round % 2 == 1)
                threads.submit(() -> maintain(node));
            Thread.sleep(millis / 2);
            verdict.nativeWrites(answered(cql) - answeredBefore);
            node.killNine();
            for (Future<?> future : running)
                future.get(STOP_SECONDS, TimeUnit.SECONDS);
            return String.format("round %3d: commitlog_sync %-8s killed after %4d ms, %6d writes acknowledged", round + 1, mode, millis,
                                 ledger.acknowledged() - before);
        }
        catch (Exception e)
        {
            throw new IllegalStateException("round " + (round + 1), e);
        }
        finally
        {
            threads.shutdownNow();
        }
    }

    /** Nobody reads while the writers write. */
    private long answered(Cql cql)
    {
        if (!memtable.equals("cassiterite"))
            return 0;
        return cql.localRows("SELECT count FROM cassiterite.front_door WHERE name = 'executes_answered'").get(0).getLong("count");
    }

    /** Ends with an error when the node is killed meanwhile, as intended. */
    private void maintain(Node node)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.flush("crash");
            jmx.compact("crash");
        }
        catch (IllegalStateException | UncheckedIOException e)
        {
            ledger.record("maintenance ended: " + e.getMessage());
        }
    }
}
