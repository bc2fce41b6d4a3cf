/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Tables, keyspaces and indexes are dropped and made again under writes and reads: the log stays clean. */
@Tag("cluster")
@NodeTest(own = true, yaml = "auto_snapshot: false")
class DropsUnderLoadTest
{
    private static final int ROUNDS = 6;
    private static final int CLIENTS = 3;
    private static final int ROWS = 2_000;
    /** The watch looks each second, and Cassandra's builds go on a while. */
    private static final int AFTERMATH_MS = 3_000;
    /** What Cassandra itself logs of requests that were on their way when their table, or its index, was dropped. */
    private static final String STOCK = String.join("|", "ErrorMessage.java:\\d+ - Unexpected exception during request",
                                                    "QueryMessage.java:\\d+ - Unexpected error during query",
                                                    "ExceptionHandlers.java:\\d+ - Unexpected exception during request",
                                                    "StorageProxy.java:\\d+ - Exception occurred updating \\w+ metric",
                                                    "Keyspace.java:\\d+ - Attempting to mutate non-exist.nt table",
                                                    "Exception in thread Thread\\[(Read|Mutation)Stage", "GCInspector.java");
    private static final String KEYSPACE = "CREATE KEYSPACE drops WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final String TABLE = "CREATE TABLE drops.t (k int PRIMARY KEY, v int, w int) WITH memtable = 'cassiterite'";
    private static final String[] INDEXES = { "CREATE INDEX t_v ON drops.t (v)", "CREATE INDEX t_w ON drops.t (w)" };
    private static final String[][] CHANGES = {
        { "DROP TABLE drops.t", TABLE, INDEXES[0], INDEXES[1] },
        { "DROP INDEX drops.t_v", INDEXES[0] },
        { "DROP KEYSPACE drops", KEYSPACE, TABLE, INDEXES[0], INDEXES[1] },
        { "DROP INDEX drops.t_w", "TRUNCATE drops.t", INDEXES[1], "DROP TABLE drops.t", TABLE, INDEXES[0], INDEXES[1] },
    };

    private final AtomicBoolean stopped = new AtomicBoolean();

    @Test
    void theLogStaysClean(Node node, Cql cql) throws InterruptedException
    {
        for (String statement : List.of(KEYSPACE, TABLE, INDEXES[0], INDEXES[1]))
            cql.run(statement);
        cql.runEach("INSERT INTO drops.t (k, v, w) VALUES (?, ?, ?)", IntStream.range(0, ROWS), k -> new Object[]{ k, k % 5, k % 7 });
        node.log().mark();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++)
        {
            int seed = i;
            clients.add(new Thread(() -> load(cql, new Random(seed))));
            clients.get(i).start();
        }
        try
        {
            Random random = new Random(5);
            for (int round = 0; round < ROUNDS; round++)
                for (String[] change : CHANGES)
                {
                    Pause.millis(random.nextInt(3) == 0 ? 1_200 : random.nextInt(300));
                    for (String statement : change)
                        cql.run(statement);
                }
        }
        finally
        {
            stopped.set(true);
            for (Thread client : clients)
                client.join();
        }
        Pause.millis(AFTERMATH_MS);
        List<String> trouble = node.log().grep("^(ERROR|WARN) ");
        trouble.removeIf(Pattern.compile(STOCK).asPredicate());
        trouble.addAll(node.log().grep("^(Caused by: )?io\\.cassiterite\\.|SecondaryIndexExecutor.*Exception"));
        assertEquals(List.of(), trouble);
    }

    private void load(Cql cql, Random random)
    {
        while (!stopped.get())
        {
            try
            {
                cql.run("INSERT INTO drops.t (k, v, w) VALUES (?, ?, ?)", random.nextInt(ROWS), random.nextInt(5), random.nextInt(7));
                if (random.nextInt(4) == 0)
                    cql.rows("SELECT * FROM drops.t WHERE " + (random.nextBoolean() ? "v" : "w") + " = " + random.nextInt(5));
            }
            catch (DriverException e)
            {
                Pause.millis(10); // the table, or an index, is not there at this moment
            }
        }
    }
}
