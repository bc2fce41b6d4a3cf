/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.datastax.oss.driver.api.core.CqlSession;

/** Both tables of a twin: sends them statements, to both at once. One thread. */
final class TwinSides
{
    private static final int ATTEMPTS_MAX = 100;
    private static final int RECONNECTION_MILLIS = 300;

    private final Machine machine;
    private final String keyspace;
    private final String name;
    private final String[] memtables;
    private final Twin.Fault fault;

    /** @param memtables of the stock side and the engine's */
    TwinSides(Machine machine, String keyspace, String name, String[] memtables, Twin.Fault fault)
    {
        this.machine = machine;
        this.keyspace = keyspace;
        this.name = name;
        this.memtables = memtables;
        this.fault = fault;
    }

    String table(int side)
    {
        return name + (side == 0 ? "_stock" : "_engine");
    }

    private boolean isEngine(int side)
    {
        return memtables[side].equals("cassiterite");
    }

    /** @return gives null if the stock table has no other query: it lacks a column, which shrinking may have removed */
    Supplier<Answer[]> ask(Step step, List<ByteBuffer> values, long stamp, int now)
    {
        CompletableFuture<Answer> stock = askOne(step, values, 0, stamp, now);
        CompletableFuture<Answer> engine = askOne(step, values, 1, stamp, now);
        return () -> pair(AtOnce.await(stock), AtOnce.await(engine));
    }

    /** Each side gets its executions one after the other: a front door compares some in a row before it answers itself. */
    Supplier<List<Answer[]>> askEach(Step step, long stamp, int now)
    {
        CompletableFuture<List<Answer>> stock = askEach(step, 0, stamp, now);
        CompletableFuture<List<Answer>> engine = askEach(step, 1, stamp, now);
        return () ->
        {
            List<Answer[]> pairs = new ArrayList<>();
            for (int i = 0; i < step.executions.size(); i++)
                pairs.add(pair(AtOnce.await(stock).get(i), AtOnce.await(engine).get(i)));
            return pairs;
        };
    }

    private CompletableFuture<List<Answer>> askEach(Step step, int side, long stamp, int now)
    {
        CompletableFuture<List<Answer>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (int i = 0; i < step.executions.size(); i++)
        {
            List<ByteBuffer> values = step.executions.get(i);
            // of writes, each has a time of its own
            long own = stamp == Step.SERVER_STAMP ? stamp : stamp + i;
            all = all.thenCompose(before -> askOne(step, values, side, own, now).thenApply(answer ->
            {
                before.add(answer);
                return before;
            }));
        }
        return all;
    }

    private static Answer[] pair(Answer stock, Answer engine)
    {
        return stock == null || engine == null ? null : new Answer[]{ stock, engine };
    }

    private CompletableFuture<Answer> askOne(Step step, List<ByteBuffer> values, int side, long stamp, int now)
    {
        CompletableFuture<Answer> asked = run(step, step.cql, values, side, stamp, now);
        if (step.stockCql == null || isEngine(side))
            return asked;
        return asked.thenCompose(answer -> answer.error != null
                                           ? asked
                                           : run(step, step.stockCql, values, side, stamp, now).thenApply(other -> other.error != null
                                             ? null : other.keepColumns(answer.columns.size())));
    }

    private CompletableFuture<Answer> run(Step step, String statement, List<ByteBuffer> values, int side, long stamp, int now)
    {
        String told = statement.replace("{t}", keyspace + '.' + table(side)).replace("{m}", memtables[side]);
        String cql = side == 1 && fault != null ? fault.spoil(step, told) : told;
        if (cql == null)
            return CompletableFuture.completedFuture(new Answer());
        String table = table(side);
        if (values != null)
        {
            CqlSession session = machine.session(isEngine(side) ? Machine.Use.PREPARED : Machine.Use.PLAIN);
            return Wire.execute(session, cql, values, stamp, step.pageSize, now, table);
        }
        if (!isFragile(step))
            return Wire.begin(machine.session(), cql, step.binds, stamp, step.pageSize, now, table);
        return askAgain(() -> Wire.begin(machine.session(Machine.Use.FRAGILE), cql, step.binds, stamp, step.pageSize, now, table),
                        ATTEMPTS_MAX);
    }

    /** Stock refuses some of its own paging states of a GROUP BY, and closes the connection with all that is under way on it. */
    private static boolean isFragile(Step step)
    {
        return step.kind.equals("select group by");
    }

    private static CompletableFuture<Answer> askAgain(Supplier<CompletableFuture<Answer>> read, int attempts)
    {
        return read.get().thenCompose(answer -> !answer.unreachable || attempts <= 1
            ? CompletableFuture.completedFuture(answer)
            : CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(RECONNECTION_MILLIS, TimeUnit.MILLISECONDS))
                               .thenCompose(later -> askAgain(read, attempts - 1)));
    }

    /**
     * A stock memtable that is older than a DROP of a column fails reads of all columns, and shows the column's cells
     * when it is added again; sstables do neither. Cassandra chooses when to flush: the oracle replaces the memtable
     * now, also one without data, which no flush would replace.
     */
    void renewStockMemtables()
    {
        for (int side = 0; side < 2; side++)
        {
            if (isEngine(side))
                continue;
            for (String memtable : new String[]{ memtables[side].equals("trie") ? "skiplist" : "trie", memtables[side] })
                machine.session().execute("ALTER TABLE " + keyspace + '.' + table(side) + " WITH memtable = '" + memtable + '\'');
            // waits for the flushes that the changes began
            machine.flush(keyspace, table(side));
        }
    }
}
