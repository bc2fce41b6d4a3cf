/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.QUORUM;

/**
 * Registers of {@code quorum.t}, each with one writer that counts up, and readers at all nodes. Every other write and every other
 * read is none that the door could do. Whatever was acknowledged or read before a read began, the read must not be behind it.
 */
final class QuorumRegisters implements AutoCloseable
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final int REGISTERS = 8;
    private static final int FIRST_KEY = 1000;
    private static final int READERS_PER_NODE = 2;
    private static final int PROGRESS = 2000;
    private static final int NATIVE = 200;
    private static final int RETRY_MILLIS = 20;
    /** Nodes that start need the cores, too. */
    private static final int PAUSE_MILLIS = 2;

    private final List<Client> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    /** The largest value that was acknowledged or read of each register. */
    private final AtomicIntegerArray known = new AtomicIntegerArray(REGISTERS);
    private final AtomicLong reads = new AtomicLong();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    /** Of a write: the value more than this. */
    private final long firstMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    private volatile boolean stopped;

    QuorumRegisters(List<Node> nodes)
    {
        nodes.forEach(node -> clients.add(new Client(node)));
    }

    void start()
    {
        for (int register = 0; register < REGISTERS; register++)
        {
            int own = register;
            begin(() -> write(own));
        }
        for (Client client : clients)
            for (int i = 0; i < READERS_PER_NODE; i++)
                begin(() -> readAll(client));
    }

    private void begin(Runnable work)
    {
        Thread thread = new Thread(work, "quorum-register");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void write(int register)
    {
        int value = 0;
        while (!stopped)
        {
            // one that fails may yet be written, by a node that was frozen: its timestamp is older than those of the next ones
            value++;
            Client client = clients.get(ThreadLocalRandom.current().nextInt(clients.size()));
            if (attempt(insert(client, FIRST_KEY + register, value), client) != null)
                learn(register, value);
            Pause.millis(PAUSE_MILLIS);
        }
    }

    private Statement<?> insert(Client client, int key, int value)
    {
        long micros = firstMicros + value;
        return ThreadLocalRandom.current().nextBoolean() ? client.insert.bind(key, value).setQueryTimestamp(micros)
                                                         : client.insertAt.bind(key, value, micros);
    }

    private void readAll(Client client)
    {
        while (!stopped)
        {
            int register = ThreadLocalRandom.current().nextInt(REGISTERS);
            int atLeast = known.get(register);
            boolean isPrepared = ThreadLocalRandom.current().nextBoolean();
            Statement<?> select = isPrepared ? client.select.bind(FIRST_KEY + register)
                                             : SimpleStatement.newInstance("SELECT v FROM quorum.t WHERE k = ?", FIRST_KEY + register);
            List<Row> rows = attempt(select, client);
            if (rows == null)
                continue;
            int value = rows.isEmpty() ? 0 : rows.get(0).getInt("v");
            if (value < atLeast)
                wrong.add("register " + register + " was " + value + " at " + client.cql.own() + " after " + atLeast
                          + (isPrepared ? ", prepared" : ", not prepared"));
            learn(register, value);
            reads.incrementAndGet();
            Pause.millis(PAUSE_MILLIS);
        }
    }

    private void learn(int register, int value)
    {
        known.accumulateAndGet(register, value, Math::max);
    }

    /** @return null if it has failed, as it may while nodes are down */
    private List<Row> attempt(Statement<?> statement, Client client)
    {
        try
        {
            return client.cql.session().execute(statement.setConsistencyLevel(QUORUM).setNode(client.node)
                                                         .setTimeout(Duration.ofSeconds(5))).all();
        }
        catch (DriverException e)
        {
            Pause.millis(RETRY_MILLIS);
            return null;
        }
    }

    /** Waits until many reads have been since now. */
    void awaitProgress()
    {
        long enough = reads.get() + PROGRESS;
        Await.until("reads go on", BOUND, () -> reads.get() >= enough || !wrong.isEmpty());
        check();
    }

    /** Waits until the door of each node answers. */
    void awaitNativeReads()
    {
        for (Client client : clients)
        {
            client.cql.awaitReconnection();
            long enough = client.answered() + NATIVE;
            Await.until("the door of " + client.cql.own() + " answers", BOUND, () -> client.answered() >= enough || !wrong.isEmpty());
        }
        check();
    }

    /** Waits until each node has written what doors of others have. */
    void awaitNativeWrites()
    {
        for (Client client : clients)
        {
            long enough = client.count("copies_written") + NATIVE;
            Await.until("others have " + client.cql.own() + " write, too", BOUND,
                        () -> client.count("copies_written") >= enough || !wrong.isEmpty());
        }
        check();
    }

    void check()
    {
        if (!wrong.isEmpty())
            throw new AssertionError(wrong.size() + " reads went back, such as: " + wrong.peek());
    }

    @Override
    public void close()
    {
        stopped = true;
        for (Thread thread : threads)
            try
            {
                thread.join(BOUND.toMillis());
            }
            catch (InterruptedException e)
            {
                Thread.currentThread().interrupt();
            }
        clients.forEach(client -> client.cql.close());
    }

    /** A client of one node. */
    private static final class Client
    {
        private final Cql cql;
        private final com.datastax.oss.driver.api.core.metadata.Node node;
        private final PreparedStatement select;
        private final PreparedStatement insert;
        private final PreparedStatement insertAt;

        Client(Node of)
        {
            cql = of.cql();
            node = cql.own();
            select = cql.session().prepare("SELECT v FROM quorum.t WHERE k = ?");
            insert = cql.session().prepare("INSERT INTO quorum.t (k, v) VALUES (?, ?)");
            insertAt = cql.session().prepare("INSERT INTO quorum.t (k, v) VALUES (?, ?) USING TIMESTAMP ?");
        }

        long answered()
        {
            return count("executes_answered");
        }

        long count(String name)
        {
            return cql.localRows("SELECT count FROM cassiterite.front_door WHERE name = '" + name + '\'').get(0).getLong("count");
        }
    }
}
