/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;

/**
 * The only writer of some partitions: one operation at a time, so that after a crash each partition must be as after its
 * last acknowledged operation, or as after the one that was under way. Run by one thread at a time; checked while none runs.
 */
final class Writer
{
    static final int PARTITIONS = 6;
    private static final int ROWS = 40;

    private final int id;
    private final Random random;
    private final Ledger ledger;
    private final Map<String, PartitionState> acknowledged = new HashMap<>();
    private final long[] steps = new long[PARTITIONS];
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private long lastMicros;
    private int underWayPartition = -1;
    private Map<String, PartitionState> underWay = Map.of();
    private long underWayStep;

    Writer(int id, long seed, Ledger ledger)
    {
        this.id = id;
        this.random = new Random(seed * 31 + id);
        this.ledger = ledger;
    }

    /** Writes until the node is gone. */
    void run(CqlSession session)
    {
        prepared.clear();
        try
        {
            while (!Thread.currentThread().isInterrupted())
                write(session);
        }
        catch (DriverException e)
        {
            ledger.record("writer " + id + " stops: " + e.getClass().getSimpleName());
        }
    }

    private void write(CqlSession session)
    {
        int partition = random.nextInt(PARTITIONS);
        int pick = random.nextInt(100);
        if (pick < 15)
            step(session, partition);
        else if (pick < 50)
            upsert(session, partition, 1, "rows");
        else if (pick < 72)
            upsert(session, partition, 2 + random.nextInt(6), "rows");
        else if (pick < 80)
            upsert(session, partition, 2, "rows", "pair");
        else
            delete(session, partition, pick);
    }

    // --- operations

    private void upsert(CqlSession session, int partition, int rows, String... tables)
    {
        long generation = ledger.nextGeneration();
        boolean withHeader = rows > 1 && random.nextBoolean();
        Map<Integer, Long> upserts = new HashMap<>();
        for (int i = 0; i < rows; i++)
            upserts.put(random.nextInt(ROWS), generation);
        BatchStatementBuilder batch = BatchStatement.builder(tables.length > 1 || random.nextBoolean() ? DefaultBatchType.LOGGED
                                                                                                        : DefaultBatchType.UNLOGGED);
        Map<String, PartitionState> after = new HashMap<>();
        for (String table : tables)
        {
            upserts.keySet().forEach(row -> batch.addStatement(insert(table, partition, row, generation)));
            if (withHeader)
                batch.addStatement(SimpleStatement.newInstance("UPDATE crash." + table + " SET h = ? WHERE w = ? AND p = ?", generation, id,
                                                               partition));
            after.put(table, state(table, partition).with(upserts, withHeader ? generation : null));
        }
        Statement<?> statement = rows > 1 ? batch.build()
            : natively(session, insert(tables[0], partition, upserts.keySet().iterator().next(), generation));
        execute(session, statement, partition, after, "upsert " + generation + ' ' + upserts.keySet() + ' ' + after.keySet());
    }

    private SimpleStatement insert(String table, int partition, int row, long generation)
    {
        return SimpleStatement.newInstance("INSERT INTO crash." + table + " (w, p, c, g, a, b) VALUES (?, ?, ?, ?, ?, ?)", id, partition,
                                           row, generation, Payload.of(generation, row, 0), Payload.of(generation, row, 1));
    }

    /** The same, prepared: the front door writes it once it knows it. */
    private Statement<?> natively(CqlSession session, SimpleStatement statement)
    {
        return prepared.computeIfAbsent(statement.getQuery(), session::prepare).bind(statement.getPositionalValues().toArray());
    }

    private void delete(CqlSession session, int partition, int pick)
    {
        PartitionState before = state("rows", partition);
        int from = random.nextInt(ROWS);
        int to = from + (pick < 92 ? 1 : 1 + random.nextInt(ROWS / 2));
        boolean whole = pick == 99;
        PartitionState after = whole ? PartitionState.EMPTY : before.without(from, to);
        boolean isRow = !whole && to == from + 1;
        String restriction = whole ? "" : isRow ? " AND c = ?" : " AND c >= ? AND c < ?";
        Object[] values = Stream.of(id, partition, from, to).limit(whole ? 2 : isRow ? 3 : 4).toArray();
        SimpleStatement delete = SimpleStatement.newInstance("DELETE FROM crash.rows WHERE w = ? AND p = ?" + restriction, values);
        execute(session, isRow ? natively(session, delete) : delete, partition, Map.of("rows", after),
                "delete" + restriction + ' ' + Arrays.toString(values));
    }

    private void execute(CqlSession session, Statement<?> statement, int partition, Map<String, PartitionState> after, String name)
    {
        String operation = id + "/" + partition + ' ' + name;
        ledger.intend(operation);
        underWayPartition = partition;
        underWay = after;
        lastMicros = Math.max(lastMicros + 1, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
        session.execute(statement.setQueryTimestamp(lastMicros));
        ledger.acknowledge(operation);
        after.forEach((table, state) -> acknowledged.put(table + partition, state));
        underWay = Map.of();
    }

    /** A lightweight transaction that builds on the one before. */
    private void step(CqlSession session, int partition)
    {
        long next = ledger.nextGeneration();
        String operation = id + "/" + partition + " step " + next;
        ledger.intend(operation);
        underWayPartition = partition;
        underWayStep = next;
        SimpleStatement statement = steps[partition] == 0
            ? SimpleStatement.newInstance("INSERT INTO crash.steps (w, p, n, a) VALUES (?, ?, ?, ?) IF NOT EXISTS", id, partition, next,
                                          Payload.of(next, partition, 2))
            : SimpleStatement.newInstance("UPDATE crash.steps SET n = ?, a = ? WHERE w = ? AND p = ? IF n = ?", next,
                                          Payload.of(next, partition, 2), id, partition, steps[partition]);
        if (!session.execute(statement).wasApplied())
            throw new IllegalStateException("a lightweight transaction met another state than the acknowledged one: " + operation);
        ledger.acknowledge(operation);
        steps[partition] = next;
        underWayStep = 0;
    }

    private PartitionState state(String table, int partition)
    {
        return acknowledged.getOrDefault(table + partition, PartitionState.EMPTY);
    }

    // --- after a restart

    /** Compares every partition with what may be there, and takes what is there as the new state. */
    void check(CqlSession session, Verdict verdict)
    {
        for (int partition = 0; partition < PARTITIONS; partition++)
        {
            boolean touched = partition == underWayPartition;
            int applied = 0;
            for (String table : new String[]{ "rows", "pair" })
            {
                PartitionState expected = state(table, partition);
                PartitionState other = touched ? underWay.get(table) : null;
                PartitionState found = Tables.read(session, table, id, partition);
                if (found.equals(other) && !found.equals(expected))
                    applied++;
                else if (!found.equals(expected))
                    verdict.lost(table + ' ' + id + '/' + partition + ": acknowledged " + expected + ", under way " + other + ", found "
                            + found);
                acknowledged.put(table + partition, found);
            }
            if (touched && applied == 1 && underWay.size() == 2)
                verdict.halfPair();
            checkStep(session, partition, touched ? underWayStep : 0, verdict);
        }
        underWay = Map.of();
        underWayStep = 0;
        underWayPartition = -1;
    }

    /** Compares every row with what {@link #check} has found, by answers of the front door's own. */
    void checkNatively(NativeReads reads, Verdict verdict)
    {
        for (int partition = 0; partition < PARTITIONS; partition++)
        {
            String name = " natively: " + id + '/' + partition + ": ";
            for (String table : new String[]{ "rows", "pair" })
            {
                PartitionState expected = state(table, partition);
                verdict.compare(table + name, expected, reads.partition(table, id, partition));
                verdict.compare(table + name + "row by row", expected.rows, reads.rows(table, id, partition, ROWS));
                int from = random.nextInt(ROWS);
                verdict.compare(table + name + "rows from " + from, expected.without(0, from).rows,
                                reads.slice(table, id, partition, from, ROWS));
            }
            verdict.compare("steps" + name, steps[partition], reads.step(id, partition));
        }
    }

    private void checkStep(CqlSession session, int partition, long other, Verdict verdict)
    {
        long serial = Tables.readStep(session, id, partition, ConsistencyLevel.SERIAL);
        long plain = Tables.readStep(session, id, partition, ConsistencyLevel.ONE);
        if (serial != plain)
            verdict.lost("steps " + id + '/' + partition + ": " + serial + " when read serially, else " + plain);
        if (plain != steps[partition] && plain != other)
            verdict.lost("steps " + id + '/' + partition + ": acknowledged " + steps[partition] + ", under way " + other + ", found "
                    + plain);
        steps[partition] = plain;
    }
}
