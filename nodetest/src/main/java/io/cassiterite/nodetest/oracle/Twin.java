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
import java.util.stream.Collectors;

import com.datastax.oss.driver.api.core.CqlSession;

/**
 * Two tables of one shape, one of them an engine table, which get the same statements. Statements are evaluated at
 * the same second on both sides ("now in seconds" of the protocol), so TTLs compare exactly. One thread.
 */
final class Twin implements Tables
{
    /** Changes what the engine's side gets, for tests of the oracle itself. */
    interface Fault
    {
        /** @return the statement to run instead, or null for none at all */
        String spoil(Step step, String cql);
    }

    private static final int ATTEMPTS_MAX = 100;
    private static final int RECONNECTION_MILLIS = 300;

    private final Machine machine;
    private final String keyspace;
    private final String name;
    private final String[] memtables;
    private final Fault fault;
    private final Stamping stamping;

    Twin(Machine machine, String keyspace, String name, String stockMemtable, String engineMemtable, Fault fault)
    {
        this.machine = machine;
        this.keyspace = keyspace;
        this.name = name;
        this.memtables = new String[]{ stockMemtable, engineMemtable };
        this.fault = fault;
        this.stamping = new Stamping(machine);
    }

    private String table(int side)
    {
        return name + (side == 0 ? "_stock" : "_engine");
    }

    private boolean isEngine(int side)
    {
        return memtables[side].equals("cassiterite");
    }

    @Override
    public long nowSeconds()
    {
        return System.currentTimeMillis() / 1000 + machine.clockOffsetSeconds();
    }

    @Override
    public String keyspace()
    {
        return keyspace;
    }

    @Override
    public Outcome run(Step step)
    {
        switch (step.action)
        {
            case STATEMENT:
                return begin(step).get();
            case FLUSH_STOCK:
            case FLUSH_ENGINE:
            case COMPACT_STOCK:
            case COMPACT_ENGINE:
                return maintain(step);
            case RESTART:
                machine.restart();
                break;
            case KILL:
                beforeKill();
                machine.kill();
                break;
            case JUMP:
                machine.jump(step.seconds);
                break;
            default:
                break;
        }
        return Outcome.done();
    }

    @Override
    public List<Supplier<Outcome>> begin(List<Step> steps)
    {
        return steps.stream().allMatch(step -> step.read) ? steps.stream().map(this::begin).collect(Collectors.toList())
                                                          : Tables.super.begin(steps);
    }

    private Outcome maintain(Step step)
    {
        boolean engine = step.action == Step.Action.FLUSH_ENGINE || step.action == Step.Action.COMPACT_ENGINE;
        String table = table(engine ? 1 : 0);
        try
        {
            if (step.action == Step.Action.FLUSH_STOCK || step.action == Step.Action.FLUSH_ENGINE)
                machine.flush(keyspace, table);
            else
                machine.compact(keyspace, table);
            return Outcome.done();
        }
        catch (RuntimeException e)
        {
            // shrinking may have removed the table
            boolean missing = String.valueOf(e.getMessage()).contains("Unknown keyspace/cf pair");
            return Outcome.broken(missing ? null : step.describe() + " failed: " + e);
        }
    }

    @Override
    public void beforeKill()
    {
        maintain(Step.node(Step.Action.FLUSH_STOCK));
    }

    /** Sends a statement to both sides, and does not wait. */
    private Supplier<Outcome> begin(Step step)
    {
        long stamp = stamping.before(step);
        int now = (int) (nowSeconds() + (step.read ? step.seconds : 0));
        if (step.executions.isEmpty())
        {
            Supplier<Answer[]> answers = ask(step, null, stamp, now);
            return () -> outcome(step, null, answers.get(), now);
        }
        Supplier<List<Answer[]>> answers = askEach(step, now);
        return () -> of(step, answers.get(), now);
    }

    private Outcome of(Step step, List<Answer[]> answers, int now)
    {
        Outcome any = null;
        for (int i = 0; i < answers.size(); i++)
        {
            Outcome outcome = outcome(step, step.executions.get(i), answers.get(i), now);
            if (outcome.difference != null || !outcome.compared)
                return outcome;
            // refused only where all of them are: some values are none of a key
            if (any == null || any.failed)
                any = outcome;
        }
        return any;
    }

    /** @param values of a prepared read, null for all other statements */
    private Outcome outcome(Step step, List<ByteBuffer> values, Answer[] answers, int now)
    {
        if (answers == null)
            return Outcome.alike("no " + step.stockCql);
        // a node that ends between two answers gives no difference
        if (answers[0].unreachable || answers[1].unreachable)
            machine.session();
        if (step.kind.equals("alter drop"))
            renewStockMemtables();
        stamping.after(step);
        if (answers[0].unreachable && answers[1].unreachable)
            return Outcome.unreachable(answers[0].error);
        String difference = Comparison.difference(answers[0], answers[1]);
        if (difference == null)
            return Outcome.alike(answers[0].error);
        String with = values == null ? "" : "\n  values: " + Step.hex(values);
        String text = difference + "\n  statement: " + step.describe() + with + "\n  stock:  " + answers[0].describe() + "\n  engine: "
                + answers[1].describe();
        if (step.read)
            text += "\n  asked again: " + (again(step, values, now) ? "still differs" : "THE SAME");
        return Outcome.differs(text, answers[0].error != null);
    }

    /**
     * A stock memtable that is older than a DROP of a column fails reads of all columns, and shows the column's cells
     * when it is added again; sstables do neither. Cassandra chooses when to flush: the oracle replaces the memtable
     * now, also one without data, which no flush would replace.
     */
    private void renewStockMemtables()
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

    private boolean again(Step step, List<ByteBuffer> values, int now)
    {
        Answer[] answers = ask(step, values, Step.SERVER_STAMP, now).get();
        return answers != null && Comparison.difference(answers[0], answers[1]) != null;
    }

    /** @return gives null if the stock table has no other query: it lacks a column, which shrinking may have removed */
    private Supplier<Answer[]> ask(Step step, List<ByteBuffer> values, long stamp, int now)
    {
        CompletableFuture<Answer> stock = askOne(step, values, 0, stamp, now);
        CompletableFuture<Answer> engine = askOne(step, values, 1, stamp, now);
        return () -> pair(AtOnce.await(stock), AtOnce.await(engine));
    }

    /** Each side gets its executions one after the other: a front door compares some in a row before it answers itself. */
    private Supplier<List<Answer[]>> askEach(Step step, int now)
    {
        CompletableFuture<List<Answer>> stock = askEach(step, 0, now);
        CompletableFuture<List<Answer>> engine = askEach(step, 1, now);
        return () ->
        {
            List<Answer[]> pairs = new ArrayList<>();
            for (int i = 0; i < step.executions.size(); i++)
                pairs.add(pair(AtOnce.await(stock).get(i), AtOnce.await(engine).get(i)));
            return pairs;
        };
    }

    private CompletableFuture<List<Answer>> askEach(Step step, int side, int now)
    {
        CompletableFuture<List<Answer>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (List<ByteBuffer> values : step.executions)
            all = all.thenCompose(before -> askOne(step, values, side, Step.SERVER_STAMP, now).thenApply(answer ->
            {
                before.add(answer);
                return before;
            }));
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
            return Wire.execute(session, cql, values, step.pageSize, now, table);
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
}
