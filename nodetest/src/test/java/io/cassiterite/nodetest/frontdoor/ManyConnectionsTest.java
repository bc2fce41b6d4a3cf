/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import javax.management.openmbean.CompositeData;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.StockTransport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

/**
 * Thousands of clients connect at once, some of them work, all leave at once: through the front door, and through a stock
 * transport of the same node. The figures are printed; times are compared loosely, since other work of the machine counts.
 */
@Tag("cluster")
class ManyConnectionsTest
{
    private static final Logger logger = LoggerFactory.getLogger(ManyConnectionsTest.class);

    private static final int CLIENTS = Integer.getInteger("crowd.clients", 10_000);
    private static final int WORKING = Math.min(1_000, CLIENTS);
    private static final int REQUESTS = 20;
    private static final int ROUNDS = Integer.getInteger("crowd.rounds", 3);
    private static final int LEAVE_BOUND_MILLIS = 120_000;
    private static final int POLL_MILLIS = 20;
    private static final int SETTLE_MILLIS = 3_000;
    private static final long SETTLED_BYTES = 1 << 20;
    /** What a node needs for its files, and a moment's clients that close. */
    private static final int OTHER_DESCRIPTORS = 1_000;
    /** How often the limit has to have a client: the door takes three for each until half of it is in use. */
    private static final double DESCRIPTORS_OF_CLIENT = 1.8;
    private static final double MOST_MEMORY = 1.2;
    private static final double MOST_TIME = 2.0;
    private static final long SLACK_BYTES = 8 << 20;
    private static final long SLACK_MILLIS = 500;

    private static Node node;
    private static InetSocketAddress stock;
    private static byte[] execute;

    @BeforeAll
    static void start() throws IOException
    {
        long limit = descriptors();
        if (limit < CLIENTS * DESCRIPTORS_OF_CLIENT + OTHER_DESCRIPTORS)
        {
            String reason = "SKIPPED: " + CLIENTS + " connections need a higher limit of file descriptors than " + limit + " (ulimit -n)";
            logger.error(reason);
            abort(reason);
        }
        NodeBuilder builder = Node.named("manyconnections").frontDoor("reads").jvm("-Xms1g").jvm("-XX:+AlwaysPreTouch");
        stock = StockTransport.on(builder);
        node = builder.start();
        StockTransport.await(node, stock);
        try (Cql cql = node.cql())
        {
            cql.freshKeyspace("crowd");
            cql.run("CREATE TABLE crowd.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO crowd.t (k, v) VALUES (1, 10)");
            prepare(new NativeAnswers(cql.session()));
        }
    }

    private static void prepare(NativeAnswers answers) throws IOException
    {
        byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(1).array();
        try (RawClient client = new RawClient("127.0.0.90", node.cqlAddress()))
        {
            client.startup();
            byte[] id = client.prepare("SELECT v FROM crowd.t WHERE k = ?");
            answers.await(() -> client.execute(id, key));
            execute = RawClient.executeEnvelope(id, key);
        }
    }

    @AfterAll
    static void stop()
    {
        if (node != null)
            node.close();
    }

    /** Of this process, which the node's is not above. */
    private static long descriptors() throws IOException
    {
        String line = Files.readAllLines(Path.of("/proc/self/limits")).stream().filter(text -> text.startsWith("Max open files"))
                           .findFirst().orElseThrow();
        String most = line.split(" {2,}")[1];
        return most.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(most);
    }

    /** One round of one transport. */
    private record Round(long connectMillis, long connectP99Millis, long workMillis, long leaveMillis, long heapBytes, long residentBytes,
                         int errors)
    {
        @Override
        public String toString()
        {
            return String.format(Locale.ROOT, "all connected in %,d ms (P99 %,d), %,d requests in %,d ms, all gone in %,d ms," +
                                              " heap %+,d KiB, resident %+,d KiB, %d errors",
                                 connectMillis, connectP99Millis, WORKING * REQUESTS, workMillis, leaveMillis, heapBytes >> 10,
                                 residentBytes >> 10, errors);
        }
    }

    @Test
    void asManyAsStockConnectWorkAndLeaveInItsTimeAndMemory() throws IOException
    {
        List<Round> ofStock = new ArrayList<>();
        List<Round> ofDoor = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++)
        {
            ofStock.add(report("stock", round(stock)));
            ofDoor.add(report("door", round(node.cqlAddress())));
        }
        // Each transport's first round also warms the node up.
        List<Round> stockRounds = ofStock.subList(1, ROUNDS);
        List<Round> doorRounds = ofDoor.subList(1, ROUNDS);
        logger.info("crowd: {}", counters());
        assertEquals(0, Stream.concat(ofDoor.stream(), ofStock.stream()).mapToInt(Round::errors).sum());
        assertAsStock("heap", stockRounds, doorRounds, Round::heapBytes, MOST_MEMORY, SLACK_BYTES);
        assertAsStock("connect", stockRounds, doorRounds, Round::connectMillis, MOST_TIME, SLACK_MILLIS);
        assertAsStock("work", stockRounds, doorRounds, Round::workMillis, MOST_TIME, SLACK_MILLIS);
        assertAsStock("leave", stockRounds, doorRounds, Round::leaveMillis, MOST_TIME, SLACK_MILLIS);
        assertTrue(node.isRunning());
        assertEquals(List.of(), node.log().errors());
    }

    private static Round report(String transport, Round round)
    {
        logger.info("crowd: {}: {}", transport, round);
        return round;
    }

    private static void assertAsStock(String what, List<Round> stockRounds, List<Round> doorRounds, ToLongFunction<Round> figure,
                                      double most, long slack)
    {
        long expected = median(stockRounds, figure);
        long found = median(doorRounds, figure);
        logger.info("crowd: {}: {} with the door, {} with stock", what, found, expected);
        assertTrue(found <= expected * most + slack, () -> what + ": " + found + " with the door, " + expected + " with stock");
    }

    private static long median(List<Round> rounds, ToLongFunction<Round> figure)
    {
        long[] ordered = rounds.stream().mapToLong(figure).sorted().toArray();
        return ordered[ordered.length / 2];
    }

    private static Round round(InetSocketAddress address) throws IOException
    {
        int descriptorsBefore = descriptorsInUse();
        long heapBefore = settledHeap();
        long residentBefore = resident();
        Crowd crowd = new Crowd(address);
        long[] connected = crowd.connect(CLIENTS);
        long heap = heap() - heapBefore;
        long work = crowd.work(WORKING, REQUESTS, execute);
        long resident = resident() - residentBefore;
        long begun = System.nanoTime();
        crowd.close();
        while (descriptorsInUse() > descriptorsBefore + CLIENTS / 100)
        {
            assertTrue(System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(LEAVE_BOUND_MILLIS), "clients that left are still there");
            Pause.millis(POLL_MILLIS);
        }
        long leave = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        return new Round(connected[connected.length - 1], connected[(connected.length - 1) * 99 / 100], work, leave, heap, resident,
                         crowd.errors());
    }

    private static int descriptorsInUse()
    {
        String[] names = Path.of("/proc", Long.toString(node.pid()), "fd").toFile().list();
        return names == null ? 0 : names.length;
    }

    /** What is in use once nothing is left of those who have gone; else the next ones would seem to need less. */
    private static long settledHeap()
    {
        long before = Long.MAX_VALUE;
        long heap = heap();
        while (heap < before - SETTLED_BYTES)
        {
            Pause.millis(SETTLE_MILLIS);
            before = heap;
            heap = heap();
        }
        return heap;
    }

    /** What is in use. */
    private static long heap()
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.invoke("java.lang:type=Memory", "gc", new Object[0], new String[0]);
            return (long) ((CompositeData) jmx.attribute("java.lang:type=Memory", "HeapMemoryUsage")).get("used");
        }
    }

    private static long resident() throws IOException
    {
        String line = Files.readAllLines(Path.of("/proc", Long.toString(node.pid()), "status")).stream()
                           .filter(text -> text.startsWith("VmRSS")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
    }

    private static List<String> counters()
    {
        try (Cql cql = node.cql())
        {
            return cql.texts("SELECT * FROM cassiterite.front_door").stream().filter(row -> !row.endsWith("count=0")).toList();
        }
    }
}
