/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;

/**
 * What a call from Java into the engine costs: {@code make bench-boundary}. The boundary alone is a call that finds
 * nothing to do; the read of an absent row is compared with the engine's own figure for the same, where {@code cargo
 * bench -p cassiterite-engine} has been run before.
 */
public final class BoundaryBench
{
    private static final int ROUNDS = 40;
    private static final int WARM_ROUNDS = 10;
    private static final int CALLS_PER_ROUND = 50_000;
    private static final int PARTITIONS = 10_000;
    private static final int ROWS_PER_PARTITION = 10;
    private static final int VALUE_BYTES = 1024;
    private static final int ANSWER_BYTES = 64 << 10;
    private static final long GONE_CURSOR = 1L << 40;
    private static final int POINTS = 4;
    private static final int ROW = 0x30;
    private static final byte[] TABLE_ID = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final Path CRITERION = Path.of("native/target/criterion/get absent/new/estimates.json");
    private static final Pattern MEDIAN = Pattern.compile(
        "\"median\":\\{\"confidence_interval\":\\{[^}]*},\"point_estimate\":([0-9.eE+-]+)");

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private BoundaryBench()
    {
    }

    public static void main(String[] arguments) throws IOException
    {
        Path directory = Files.createTempDirectory("cassiterite-boundary");
        try
        {
            run(directory);
        }
        finally
        {
            delete(directory);
        }
    }

    private static void run(Path directory) throws IOException
    {
        String options = "directory=" + directory + "\nblock_cache_size=512MiB\ncompaction_rate_limit=0B/s\n";
        long store = Native.storeOpen(options.getBytes(StandardCharsets.UTF_8));
        try
        {
            long table = Native.tableOpen(store, schema());
            fill(table);
            Native.tableCompact(table);
            System.out.printf("%-28s %12s %10s %21s %12s%n", "call", "n", "median ns", "10 % to 90 % ns", "bytes/call");
            measure("boundary alone (cursorClose)", () -> Native.cursorClose(GONE_CURSOR));
            double read = measureRead(table, "read of an absent row", "nowhere");
            measureRead(table, "read of a row of 1 KB", "p77");
            measureWrite(table);
            long[] stats = new long[16];
            measure("tableStats", () -> Native.tableStats(table, stats));
            compare(read);
        }
        finally
        {
            Native.storeClose(store);
        }
    }

    private static double measureRead(long table, String name, String partition)
    {
        DirectOutput request = new DirectOutput();
        readRequest(request, partition, 0);
        DirectOutput answer = new DirectOutput();
        for (int i = 0; i < ANSWER_BYTES; i++)
            answer.putByte(0);
        return measure(name,
                       () -> Native.read(table, request.address(), request.length(), answer.address(), ANSWER_BYTES));
    }

    private static void measureWrite(long table)
    {
        DirectOutput request = new DirectOutput();
        request.putByte(1);
        request.putLong(1);
        putCounted(request, partition("written"));
        request.putInt(1);
        request.putByte(ROW);
        putCounted(request, clustering(1));
        putCounted(request, fragment(new byte[VALUE_BYTES]));
        measure("logged write of a row of 1 KB", () -> Native.write(table, request.address(), request.length(), 0));
    }

    private static double measure(String name, Runnable call)
    {
        double[] nanosPerCall = new double[ROUNDS];
        long allocatedBefore = 0;
        for (int round = -WARM_ROUNDS; round < ROUNDS; round++)
        {
            if (round == 0)
                allocatedBefore = allocatedBytes();
            long start = System.nanoTime();
            for (int i = 0; i < CALLS_PER_ROUND; i++)
                call.run();
            if (round >= 0)
                nanosPerCall[round] = (System.nanoTime() - start) / (double) CALLS_PER_ROUND;
        }
        long calls = (long) ROUNDS * CALLS_PER_ROUND;
        double bytesPerCall = (allocatedBytes() - allocatedBefore) / (double) calls;
        Arrays.sort(nanosPerCall);
        double median = nanosPerCall[ROUNDS / 2];
        System.out.printf(Locale.ROOT, "%-28s %12d %10.1f %10.1f %10.1f %12.2f%n", name, calls, median,
                          nanosPerCall[ROUNDS / 10], nanosPerCall[ROUNDS * 9 / 10], bytesPerCall);
        return median;
    }

    private static long allocatedBytes()
    {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private static void compare(double readNanos) throws IOException
    {
        if (!Files.exists(CRITERION))
        {
            System.out.println("the engine's own figure is missing: run `cargo bench -p cassiterite-engine` in native/ first");
            return;
        }
        Matcher median = MEDIAN.matcher(Files.readString(CRITERION));
        if (!median.find())
            throw new IOException("no median in " + CRITERION);
        double engine = Double.parseDouble(median.group(1));
        System.out.printf(Locale.ROOT, "read of an absent row inside the engine: %.1f ns; difference %.1f ns%n",
                          engine, readNanos - engine);
    }

    // --- data like that of the engine's own bench

    private static void fill(long table)
    {
        Random random = new Random(1);
        byte[] value = new byte[VALUE_BYTES];
        DirectOutput request = new DirectOutput();
        for (int number = 0; number < PARTITIONS; number++)
        {
            request.clear();
            request.putByte(1);
            request.putLong(1);
            putCounted(request, partition("p" + number));
            request.putInt(ROWS_PER_PARTITION);
            for (int at = 0; at < ROWS_PER_PARTITION; at++)
            {
                random.nextBytes(value);
                for (int i = 0; i < VALUE_BYTES; i += 2)
                    value[i] = 'x';
                request.putByte(ROW);
                putCounted(request, clustering(at));
                putCounted(request, fragment(value));
            }
            Native.write(table, request.address(), request.length(), 0);
        }
    }

    private static void readRequest(DirectOutput request, String name, int clustering)
    {
        request.putByte(2);
        request.putByte(POINTS);
        request.putInt(0);
        request.putInt(0);
        putCounted(request, partition(name));
        request.putInt(1);
        putCounted(request, clustering(clustering));
    }

    private static byte[] schema()
    {
        DirectOutput request = new DirectOutput();
        request.putByte(3);
        request.putByte(0);
        putCounted(request, TABLE_ID);
        putCounted(request, ascii("ks"));
        putCounted(request, ascii("t"));
        putCounted(request, ascii(""));
        request.putInt(1);
        request.putByte(TableSchema.REGULAR);
        putCounted(request, ascii("v"));
        putCounted(request, ascii("blob"));
        request.putInt(0);
        return request.copyFrom(0);
    }

    /** docs/internals/formats.md, Keys; the token is any number that follows from the name. */
    private static byte[] partition(String name)
    {
        long token = new Random(name.hashCode()).nextLong();
        byte[] key = new byte[12 + name.length()];
        key[0] = 0x40;
        for (int i = 0; i < 8; i++)
            key[1 + i] = (byte) (token >>> 56 - 8 * i);
        key[9] = 0x40;
        System.arraycopy(ascii(name), 0, key, 10, name.length());
        key[key.length - 1] = 0x38;
        return key;
    }

    private static byte[] clustering(int value)
    {
        return new byte[]{ 0x40, (byte) 0x80, 0, 0, (byte) value, 0x38 };
    }

    /** A row with liveness and one cell of 1 KiB at timestamp 1. */
    private static byte[] fragment(byte[] value)
    {
        byte[] head = { 1, 0x02, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x04, (byte) (VALUE_BYTES & 0x7f | 0x80), (byte) (VALUE_BYTES >>> 7) };
        byte[] fragment = Arrays.copyOf(head, head.length + value.length);
        System.arraycopy(value, 0, fragment, head.length, value.length);
        return fragment;
    }

    private static byte[] ascii(String text)
    {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void putCounted(DirectOutput out, byte[] bytes)
    {
        out.putInt(bytes.length);
        for (byte b : bytes)
            out.putByte(b);
    }

    private static void delete(Path directory) throws IOException
    {
        try (Stream<Path> tree = Files.walk(directory))
        {
            for (Path path : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator)
                Files.delete(path);
        }
    }
}
