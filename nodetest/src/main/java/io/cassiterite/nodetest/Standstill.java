/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.apache.cassandra.utils.Clock;

/**
 * A JVM of a test node that stands still when it is told to: one thread counts in a loop without safepoints, and all others
 * wait for it at one. In the node this is the clock, which Cassandra creates first of all. The time is the machine's.
 *
 * @param beganNanos when the loop began; of {@link System#nanoTime}, which all processes share
 * @param endedNanos when the loop ended, and the others could go on
 */
public record Standstill(long beganNanos, long endedNanos)
{
    private static final String WANTED_PROPERTY = "cassiterite.standstill.wanted";
    private static final int POLL_MILLIS = 20;

    /** Lets the node know how. */
    public static NodeBuilder on(NodeBuilder node)
    {
        return node.jvm("-Dcassandra.clock=" + Watch.class.getName()).jvm("-D" + WANTED_PROPERTY + "=" + wanted(node.base))
                   .jvm("-XX:TieredStopAtLevel=4").jvm("-XX:-UseCountedLoopSafepoints").jvm("-XX:LoopStripMiningIter=0");
    }

    /** Tells the node's JVM to stand still for so long, and returns at once. */
    public static void begin(Node node, Duration length)
    {
        write(wanted(node.base()), Long.toString(length.toMillis()));
    }

    /** @return what there was, once it is over */
    public static Standstill await(Node node, Duration patience)
    {
        Path done = done(wanted(node.base()));
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (!Files.exists(done))
        {
            if (System.nanoTime() > deadlineNanos)
                throw new IllegalStateException("the node did not stand still: see " + node.base());
            Pause.millis(POLL_MILLIS);
        }
        String[] times = read(done).split(" ");
        return new Standstill(Long.parseLong(times[0]), Long.parseLong(times[1]));
    }

    private static Path wanted(Path base)
    {
        return base.resolve("standstill");
    }

    private static Path done(Path wanted)
    {
        return wanted.resolveSibling("standstill-done");
    }

    private static void write(Path file, String text)
    {
        try
        {
            Path whole = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(whole, text);
            Files.move(whole, file);
        }
        catch (java.io.IOException e)
        {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String read(Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (java.io.IOException e)
        {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The node's side. */
    public static final class Watch implements Clock
    {
        private static final int TRIAL = 50_000_000;

        private volatile int result;
        private volatile boolean isOver;

        /** Called by Cassandra. */
        public Watch()
        {
            start("standstill", this::watch);
        }

        private static void start(String name, Runnable work)
        {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.start();
        }

        private void watch()
        {
            Path wanted = Path.of(System.getProperty(WANTED_PROPERTY));
            while (!Files.exists(wanted))
                Pause.millis(POLL_MILLIS);
            long millis = Long.parseLong(read(wanted));
            int count = (int) Math.min(Integer.MAX_VALUE, millis * 1e6 * TRIAL / trialNanos());
            start("safepoints", this::requestSafepoints);
            long beganNanos = System.nanoTime();
            result = count(count);
            long endedNanos = System.nanoTime();
            isOver = true;
            write(done(wanted), beganNanos + " " + endedNanos);
        }

        /** What a compiled trial takes. */
        private long trialNanos()
        {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 30; i++)
            {
                long began = System.nanoTime();
                result = count(TRIAL + i);
                least = Math.min(least, System.nanoTime() - began);
            }
            return least;
        }

        /** Each step needs the one before, so that the loop takes its time; no compiler puts a poll into it. */
        private static int count(int to)
        {
            int sum = 7;
            for (int i = 0; i < to; i++)
                sum = (sum * 31 + i) % 65_521;
            return sum;
        }

        private void requestSafepoints()
        {
            while (!isOver)
            {
                System.gc();
                Pause.millis(1);
            }
        }

        @Override
        public long nanoTime()
        {
            return System.nanoTime();
        }

        @Override
        public long currentTimeMillis()
        {
            return System.currentTimeMillis();
        }
    }
}
