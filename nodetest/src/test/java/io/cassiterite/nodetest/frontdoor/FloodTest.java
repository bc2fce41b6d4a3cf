/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Clients that ask and do not read make the node wait for them, not hold their answers; in the end they get them all. */
@Tag("surface")
@NodeTest(own = true, yaml = "memtable.configurations.cassiterite.parameters.front_door: reads", heap = "512m",
          jvm = { "-Xms512m", "-XX:+AlwaysPreTouch" })
class FloodTest
{
    private static final int ROW_BYTES = 4_096;
    private static final int REQUESTS = 20_000;
    private static final int TOGETHER = 100;
    private static final int[] VERSIONS = { 3, 4, 5, 5 };
    private static final int STILL_MILLIS = 2_000;
    private static final int POLL_MILLIS = 20;
    private static final long GROWTH_MAX_BYTES = 128L << 20;
    private static final Statement SELECT = new Statement(new Random(1)).add("SELECT v FROM floodtest.t WHERE k = 1");

    @BeforeAll
    static void aRowThatTheDoorAnswers(Node node, Cql cql) throws IOException
    {
        cql.run("CREATE TABLE floodtest.t (k int PRIMARY KEY, v ascii) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO floodtest.t (k, v) VALUES (1, ?)", "x".repeat(ROW_BYTES));
        try (Connection connection = new Connection(node.cqlAddress(), setup(5)))
        {
            SELECT.prepared(new Answer(connection.call(Requests.prepare(SELECT, null, 5).envelope(5, 0))).preparedIds());
        }
    }

    private static Connection.Setup setup(int version)
    {
        return new Connection.Setup(version, Compression.NONE, null);
    }

    private static Envelope select(int version, int stream)
    {
        return Requests.execute(SELECT, new Options(), version).envelope(version, stream);
    }

    @Test
    void answersThatNobodyReadsTakeNoMemory(Node node, Cql cql) throws IOException, InterruptedException
    {
        NativeAnswers answers = new NativeAnswers(cql.session());
        List<Connection> connections = new ArrayList<>();
        List<Thread> writers = new ArrayList<>();
        AtomicInteger written = new AtomicInteger();
        for (int version : VERSIONS)
        {
            Connection connection = new Connection(node.cqlAddress(), setup(version));
            answers.await(() -> connection.call(select(version, 1)));
            connections.add(connection);
        }
        long before = residentBytes(node);
        for (int i = 0; i < VERSIONS.length; i++)
            writers.add(flood(connections.get(i), VERSIONS[i], written));
        awaitStandstill(written);
        long growth = residentBytes(node) - before;
        byte[] one = one(node);
        for (int i = 0; i < VERSIONS.length; i++)
            assertAllAnswered(connections.get(i), VERSIONS[i], one);
        for (Thread writer : writers)
            writer.join();
        for (Connection connection : connections)
            connection.close();
        assertTrue(growth < GROWTH_MAX_BYTES, "the node has grown by " + growth + " bytes, " + written + " requests were sent");
    }

    private static Thread flood(Connection connection, int version, AtomicInteger written)
    {
        Thread writer = new Thread(() -> {
            try
            {
                for (int request = 0; request < REQUESTS; request += TOGETHER)
                {
                    List<Envelope> some = new ArrayList<>();
                    for (int i = 0; i < TOGETHER; i++)
                        some.add(select(version, request + i));
                    connection.write(connection.framed(some, new Random(request)));
                    written.addAndGet(TOGETHER);
                }
            }
            catch (IOException e)
            {
                throw new java.io.UncheckedIOException(e);
            }
        }, "flood");
        writer.start();
        return writer;
    }

    /** Returns when all is written, or when nothing more is taken. */
    private static void awaitStandstill(AtomicInteger written)
    {
        int last = -1;
        for (int still = 0; still < STILL_MILLIS && written.get() < REQUESTS * VERSIONS.length; still += POLL_MILLIS)
        {
            if (written.get() != last)
                still = 0;
            last = written.get();
            Pause.millis(POLL_MILLIS);
        }
    }

    private static byte[] one(Node node) throws IOException
    {
        try (Connection connection = new Connection(node.cqlAddress(), setup(4)))
        {
            return connection.call(select(4, 0)).body;
        }
    }

    private static void assertAllAnswered(Connection connection, int version, byte[] row) throws IOException
    {
        Set<Integer> streams = new HashSet<>();
        for (int i = 0; i < REQUESTS; i++)
        {
            Envelope answer = connection.read();
            assertEquals(Envelope.RESULT, answer.opcode);
            streams.add(answer.stream);
            // Version 5 was told another id of the metadata than that of nothing, and adds it.
            if (version < 5)
                assertArrayEquals(row, answer.body);
            else
                assertArrayEquals(tail(row), tail(answer.body));
        }
        assertEquals(REQUESTS, streams.size());
    }

    private static byte[] tail(byte[] body)
    {
        return Arrays.copyOfRange(body, body.length - ROW_BYTES, body.length);
    }

    private static long residentBytes(Node node) throws IOException
    {
        String line = Files.readAllLines(Path.of("/proc", Long.toString(node.pid()), "status")).stream()
                           .filter(text -> text.startsWith("VmRSS")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
    }
}
