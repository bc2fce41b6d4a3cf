/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

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

    private static final int LATE_MAX = 10;

    private final Machine machine;
    private final String keyspace;
    private final TwinSides sides;
    private final Stamping stamping;

    Twin(Machine machine, String keyspace, String name, String stockMemtable, String engineMemtable, Fault fault)
    {
        this.machine = machine;
        this.keyspace = keyspace;
        this.sides = new TwinSides(machine, keyspace, name, new String[]{ stockMemtable, engineMemtable }, fault);
        this.stamping = new Stamping(machine);
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
        String table = sides.table(engine ? 1 : 0);
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
        int now = evaluatedAt(step);
        if (step.executions.isEmpty())
        {
            Supplier<Answer[]> answers = sides.ask(step, null, stamp, now);
            return () -> outcome(step, null, answers.get(), now, 0);
        }
        Supplier<List<Answer[]>> answers = sides.askEach(step, stamp, now);
        return () -> of(step, answers.get(), now);
    }

    private Outcome of(Step step, List<Answer[]> answers, int now)
    {
        Outcome any = null;
        for (int i = 0; i < answers.size(); i++)
        {
            Outcome outcome = outcome(step, step.executions.get(i), answers.get(i), now, 0);
            if (outcome.difference != null || !outcome.compared)
                return outcome;
            // refused only where all of them are: some values are none of a key
            if (any == null || any.failed)
                any = outcome;
        }
        return any;
    }

    private int evaluatedAt(Step step)
    {
        return (int) (nowSeconds() + (step.read ? step.seconds : 0));
    }

    /**
     * A compaction drops what has expired by the node's clock, which a read that is asked as of an earlier second and answered
     * late may miss on one side: it is asked again, as of now.
     */
    private Outcome askLater(Step step, List<ByteBuffer> values, int late)
    {
        int now = evaluatedAt(step);
        return outcome(step, values, sides.ask(step, values, Step.SERVER_STAMP, now).get(), now, late);
    }

    /**
     * @param values of a prepared statement, null for all other statements
     * @param late   how often it was asked again, because the clock had gone on
     */
    private Outcome outcome(Step step, List<ByteBuffer> values, Answer[] answers, int now, int late)
    {
        if (answers == null)
            return Outcome.alike("no " + step.stockCql);
        // a node that ends between two answers gives no difference
        if (answers[0].unreachable || answers[1].unreachable)
            machine.session();
        if (step.kind.equals("alter drop"))
            sides.renewStockMemtables();
        stamping.after(step);
        if (answers[0].unreachable && answers[1].unreachable)
            return Outcome.unreachable(answers[0].error);
        String difference = Comparison.difference(answers[0], answers[1]);
        if (difference != null && step.read && now < evaluatedAt(step) && late < LATE_MAX)
            return askLater(step, values, late + 1);
        if (difference == null)
            return late == 0 ? Outcome.alike(answers[0].error) : Outcome.alikeLater(answers[0].error);
        String with = values == null ? "" : "\n  values: " + Step.hex(values);
        String text = difference + "\n  statement: " + step.describe() + with + "\n  stock:  " + answers[0].describe() + "\n  engine: "
                + answers[1].describe();
        if (step.read)
            text += "\n  asked again: " + (again(step, values, now) ? "still differs" : "THE SAME");
        return Outcome.differs(text, answers[0].error != null);
    }

    private boolean again(Step step, List<ByteBuffer> values, int now)
    {
        Answer[] answers = sides.ask(step, values, Step.SERVER_STAMP, now).get();
        return answers != null && Comparison.difference(answers[0], answers[1]) != null;
    }
}
