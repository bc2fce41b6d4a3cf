/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;

import io.cassiterite.nodetest.frontdoor.NativeAnswers;

/**
 * Reads the tables by prepared statements, each again until the front door itself has given the answer; fails where it never
 * does. Nobody else may execute statements meanwhile. One thread.
 */
final class NativeReads
{
    /** Of no writer: its answers are empty, while those of whole partitions may be too long to be compared in an audition. */
    private static final int NO_WRITER = -1;

    private final CqlSession session;
    private final NativeAnswers answers;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private long count;

    /** @param session whose connections are the front door's */
    NativeReads(CqlSession session)
    {
        this.session = session;
        this.answers = new NativeAnswers(session);
    }

    PartitionState partition(String table, int writer, int partition)
    {
        PreparedStatement select = learnt(byPartition(table), NO_WRITER, 0);
        return natively(1, () -> Tables.state(session.execute(select.bind(writer, partition)), writer, partition));
    }

    /** Each row by its key. @return the rows that exist, with their generations */
    Map<Integer, Long> rows(String table, int writer, int partition, int rows)
    {
        PreparedStatement select = learnt(byPartition(table) + " AND c = ?", NO_WRITER, 0, 0);
        return natively(rows, () ->
        {
            Map<Integer, Long> found = new HashMap<>();
            for (int row = 0; row < rows; row++)
                found.putAll(Tables.state(session.execute(select.bind(writer, partition, row)), writer, partition).rows);
            return found;
        });
    }

    /** The rows of {@code from <= clustering < to}. */
    Map<Integer, Long> slice(String table, int writer, int partition, int from, int to)
    {
        PreparedStatement select = learnt(byPartition(table) + " AND c >= ? AND c < ?", NO_WRITER, 0, 0, 1);
        return natively(1, () -> Tables.state(session.execute(select.bind(writer, partition, from, to)), writer, partition).rows);
    }

    /** @return 0 where there is none */
    long step(int writer, int partition)
    {
        PreparedStatement select = learnt("SELECT n, a FROM crash.steps WHERE w = ? AND p = ?", NO_WRITER, 0);
        return natively(1, () -> Tables.step(session.execute(select.bind(writer, partition)).one(), writer, partition));
    }

    /** @return how many answers of the front door's were given */
    long answers()
    {
        return count;
    }

    private static String byPartition(String table)
    {
        return Tables.select(table) + " WHERE w = ? AND p = ?";
    }

    /** Executes a new statement until the front door has learnt it. */
    private PreparedStatement learnt(String select, Object... values)
    {
        return statements.computeIfAbsent(select, cql ->
        {
            PreparedStatement statement = session.prepare(cql);
            answers.await(() -> session.execute(statement.bind(values)));
            return statement;
        });
    }

    private <T> T natively(int executes, Supplier<T> read)
    {
        AtomicReference<T> last = new AtomicReference<>();
        answers.await(executes, () -> last.set(read.get()));
        count += executes;
        return last.get();
    }
}
