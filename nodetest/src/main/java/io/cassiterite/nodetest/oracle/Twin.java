/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.List;

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
                return statement(step);
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

    private Outcome statement(Step step)
    {
        if (step.executions.isEmpty())
            return statement(step, null);
        Outcome any = null;
        for (List<ByteBuffer> values : step.executions)
        {
            Outcome outcome = statement(step, values);
            if (outcome.difference != null || !outcome.compared)
                return outcome;
            // refused only where all of them are: some values are none of a key
            if (any == null || any.failed)
                any = outcome;
        }
        return any;
    }

    /** @param values of a prepared read, null for all other statements */
    private Outcome statement(Step step, List<ByteBuffer> values)
    {
        long stamp = stamping.before(step);
        int now = (int) (nowSeconds() + (step.read ? step.seconds : 0));
        Answer[] answers = answers(step, values, stamp, now);
        if (answers == null)
            return Outcome.alike("no " + step.stockCql);
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
        Answer[] answers = answers(step, values, Step.SERVER_STAMP, now);
        return answers != null && Comparison.difference(answers[0], answers[1]) != null;
    }

    /** @return null if the stock table has no other query: it lacks a column, which shrinking may have removed */
    private Answer[] answers(Step step, List<ByteBuffer> values, long stamp, int now)
    {
        Answer[] answers = { run(step, step.cql, values, 0, stamp, now), run(step, step.cql, values, 1, stamp, now) };
        for (int side = 0; side < 2; side++)
        {
            if (step.stockCql == null || isEngine(side) || answers[side].error != null)
                continue;
            Answer other = run(step, step.stockCql, values, side, stamp, now);
            if (other.error != null)
                return null;
            answers[side] = other.keepColumns(answers[side].columns.size());
        }
        return answers;
    }

    private Answer run(Step step, String statement, List<ByteBuffer> values, int side, long stamp, int now)
    {
        String cql = statement.replace("{t}", keyspace + '.' + table(side)).replace("{m}", memtables[side]);
        if (side == 1 && fault != null)
            cql = fault.spoil(step, cql);
        if (cql == null)
            return new Answer();
        if (values != null)
            return Wire.execute(machine.session(), cql, values, step.pageSize, now, table(side));
        return Wire.run(machine.session(), cql, step.binds, stamp, step.pageSize, now, table(side));
    }
}
