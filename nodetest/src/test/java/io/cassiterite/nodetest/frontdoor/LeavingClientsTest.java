/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Clients of which the front door answers nearly nothing go to Netty with their own socket; once it can answer them they come
 * back. They do not notice.
 */
@NodeTest(own = true, yaml = { "memtable.configurations.cassiterite.parameters.front_door: reads",
                               "native_transport_idle_timeout: 15s" })
class LeavingClientsTest
{
    private static final String KEYSPACE = "leavingclientstest";
    private static final String TABLE = KEYSPACE + ".t";
    private static final Duration BOUND = Duration.ofSeconds(180);
    private static final int BOUND_MILLIS = 180_000;
    /** As many as a client must have had before it leaves, and more. */
    private static final int REQUESTS = 4_000;
    private static final int KEY_OF_NO_WRITER = -1;
    /** Longer than a client is watched before it leaves. */
    private static final long WATCHED_NANOS = TimeUnit.SECONDS.toNanos(12);
    private static final Connection.Setup V4 = new Connection.Setup(4, Compression.NONE, null);
    private static final List<Connection.Setup> SETUPS = List.of(new Connection.Setup(3, Compression.NONE, null),
                                                                 new Connection.Setup(4, Compression.LZ4, null),
                                                                 new Connection.Setup(5, Compression.NONE, null),
                                                                 new Connection.Setup(5, Compression.LZ4, null));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<Void>> running = new ArrayList<>();
    private final List<PipelinedWriter> opened = new ArrayList<>();

    @BeforeAll
    static void aTableOfTheEngine(Node node)
    {
        try (Cql cql = node.cql(KEYSPACE))
        {
            cql.run("CREATE TABLE t (k int PRIMARY KEY, v blob) WITH memtable = 'cassiterite'");
        }
    }

    @AfterEach
    void endClients() throws IOException
    {
        for (PipelinedWriter writer : opened)
            writer.close();
        threads.shutdownNow();
    }

    @Test
    void clientsThatWriteLeaveAndComeBackToRead(Node node) throws Exception
    {
        long before = count(node, "clients_handed_over_later");
        long backBefore = count(node, "clients_taken_back");
        AtomicBoolean isOver = new AtomicBoolean();
        Future<Void> mixed = start(() -> readAndWrite(node, isOver));
        List<PipelinedWriter> writers = new ArrayList<>();
        for (Connection.Setup setup : SETUPS)
            writers.add(writer(node, setup, writers.size()));
        await(() -> count(node, "clients_handed_over_later") >= before + SETUPS.size());
        List<Integer> goals = writers.stream().map(writer -> writer.answered() + REQUESTS).toList();
        for (int i = 0; i < goals.size(); i++)
        {
            int goal = goals.get(i);
            PipelinedWriter writer = writers.get(i);
            await(() -> writer.answered() > goal);
        }
        writers.forEach(PipelinedWriter::executeReads);
        await(() -> count(node, "clients_handed_over_later") - before == count(node, "clients_taken_back") - backBefore);
        long answered = count(node, "executes_answered");
        await(() -> count(node, "executes_answered") > answered + REQUESTS);
        writers.forEach(PipelinedWriter::finish);
        isOver.set(true);
        mixed.get(BOUND_MILLIS, TimeUnit.MILLISECONDS);
        for (Future<Void> client : running)
            client.get(BOUND_MILLIS, TimeUnit.MILLISECONDS);
        String clients = node.nodetool("clientstats", "--all").success();
        for (PipelinedWriter writer : writers)
        {
            assertTrue(clients.contains("/127.0.0.1:" + writer.connection.port()), clients);
            // The door tells Cassandra of its answers once a second.
            await(() -> requestCount(node, writer) >= writer.answered());
        }
        // Cassandra's idle timeout holds for them too.
        for (PipelinedWriter writer : writers)
            assertTrue(writer.connection.isEnded());
    }

    @Test
    void withoutNativeAnswersAtAllClientsStayAndTheTransportStillEndsThem(Node node) throws Exception
    {
        long before = count(node, "clients_handed_over_later");
        setMode(node, "proxy");
        PipelinedWriter writer = writer(node, V4, SETUPS.size());
        long end = System.nanoTime() + WATCHED_NANOS;
        await(() -> System.nanoTime() > end && writer.answered() > REQUESTS);
        assertEquals(before, count(node, "clients_handed_over_later"), "proxy is for what passes through the door");

        setMode(node, "reads");
        await(() -> count(node, "clients_handed_over_later") == before + 1);
        writer.finish();
        running.get(0).get(BOUND_MILLIS, TimeUnit.MILLISECONDS);
        node.nodetool("disablebinary").success();
        assertTrue(writer.connection.isEnded());
        node.nodetool("enablebinary").success();
        try (PipelinedWriter other = new PipelinedWriter(node.cqlAddress(), V4, TABLE, 0))
        {
            assertEquals(0, other.answered());
        }
    }

    private PipelinedWriter writer(Node node, Connection.Setup setup, int number) throws IOException
    {
        PipelinedWriter writer = new PipelinedWriter(node.cqlAddress(), setup, TABLE, number);
        opened.add(writer);
        writer.connection.patience(BOUND_MILLIS);
        running.add(start(writer));
        return writer;
    }

    private Future<Void> start(Callable<Void> client)
    {
        return threads.submit(client);
    }

    /** Reads as much as it writes; in the end the door still answers what it reads. */
    private static Void readAndWrite(Node node, AtomicBoolean isOver) throws IOException
    {
        Statement select = new Statement(new Random(1)).add("SELECT v FROM " + TABLE + " WHERE k = " + KEY_OF_NO_WRITER);
        try (Connection connection = new Connection(node.cqlAddress(), V4))
        {
            select.prepared(new Answer(connection.call(Requests.prepare(select, null, V4.version).envelope(V4.version, 0))).preparedIds());
            Envelope read = Requests.execute(select, new Options(), V4.version).envelope(V4.version, 1);
            String insert = "INSERT INTO " + TABLE + " (k, v) VALUES (" + KEY_OF_NO_WRITER + ", 0x01)";
            Envelope write = Requests.query(insert, V4.version).envelope(V4.version, 2);
            connection.call(write);
            for (int i = 0; i < REQUESTS || !isOver.get(); i++)
                assertEquals(Envelope.RESULT, connection.call(i % 2 == 0 ? read : write).opcode);
            long answered = count(node, "executes_answered");
            long end = System.nanoTime() + BOUND.toNanos();
            // the door counts an answer when the client has it already
            do
                assertEquals(Envelope.RESULT, connection.call(read).opcode);
            while (count(node, "executes_answered") == answered && System.nanoTime() < end);
            assertTrue(count(node, "executes_answered") > answered);
        }
        return null;
    }

    /** Waits, and fails when a client does. */
    private void await(Callable<Boolean> condition)
    {
        Await.until("what the clients wait for", BOUND, () -> {
            for (Future<Void> client : running)
                if (client.isDone())
                    client.get();
            return condition.call();
        });
    }

    private static long requestCount(Node node, PipelinedWriter writer)
    {
        try (Cql cql = node.cql())
        {
            List<Row> rows = cql.rows("SELECT request_count FROM system_views.clients WHERE address = '127.0.0.1' AND port = "
                                      + writer.connection.port());
            assertEquals(1, rows.size());
            return rows.get(0).getLong("request_count");
        }
    }

    private static long count(Node node, String name) throws IOException
    {
        try (RawClient client = new RawClient("127.0.0.90", node.cqlAddress()))
        {
            client.startup();
            byte[] rows = client.query("SELECT count FROM cassiterite.front_door WHERE name = '" + name + '\'');
            return ByteBuffer.wrap(rows).getLong(rows.length - Long.BYTES);
        }
    }

    private static void setMode(Node node, String mode)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.parameter("front_door", mode);
        }
    }
}
