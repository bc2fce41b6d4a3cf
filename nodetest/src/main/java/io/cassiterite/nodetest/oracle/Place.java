/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One place of an epoch: tables, and when those cannot go on, others. Its steps depend on its seed alone, so places play beside
 * each other. One thread at a time.
 */
final class Place
{
    private final Seating seating;
    private final EpochKeyspace keyspace;
    private final Random random;
    private final Tally tally;
    private Seat seat;
    private String finding;
    private boolean nodeDown;

    Place(Seating seating, EpochKeyspace keyspace, long seed, Tally tally)
    {
        this.seating = seating;
        this.keyspace = keyspace;
        this.random = new Random(seed);
        this.tally = tally;
    }

    Seat seat()
    {
        return seat;
    }

    /** @return the difference that ended the play of these tables; null for none */
    String finding()
    {
        return finding;
    }

    /** @return whether the finding is that the node has ended: by this place's step, or by another's */
    boolean sawNodeDown()
    {
        return nodeDown;
    }

    /** Creates the next tables. */
    void sit()
    {
        seat = seating.seat(random.nextLong(), keyspace.tables(), EpochKeyspace.userTypes());
        Outcome outcome;
        try
        {
            outcome = seat.tables.create(seat.history.create);
        }
        catch (NodeDownException e)
        {
            down(e);
            return;
        }
        if (outcome.difference != null || outcome.failed)
            finding = outcome.difference != null ? outcome.difference : "the table cannot be created: " + seat.history.create;
        else
            tally.table();
    }

    /** @param over asked before each play */
    void play(int plays, BooleanSupplier over)
    {
        for (int i = 0; i < plays && finding == null && !over.getAsBoolean(); i++)
            if (!play(seat.next()) || seat.history.steps.size() > seating.stepsPerTable())
                next();
    }

    /** Reads everything. */
    void verify()
    {
        if (finding == null && !play(seat.everything()))
            next();
    }

    private void next()
    {
        if (finding == null)
            sit();
    }

    /** @return whether the tables can go on */
    private boolean play(List<Step> steps)
    {
        try
        {
            return compare(steps, seat.tables.begin(steps));
        }
        catch (NodeDownException e)
        {
            down(e);
            return false;
        }
    }

    private void down(NodeDownException e)
    {
        finding = e.getMessage();
        nodeDown = true;
    }

    private boolean compare(List<Step> steps, List<Supplier<Outcome>> outcomes)
    {
        for (int i = 0; i < steps.size(); i++)
        {
            Step step = steps.get(i);
            seat.history.add(step, seat.tables.nowSeconds());
            Outcome outcome = outcomes.get(i).get();
            tally.count(step, outcome);
            if (outcome.failed)
                seat.refused(step);
            finding = outcome.difference;
            if (finding == null && outcome.failed && step.kind.startsWith("verify"))
                finding = "both sides refuse what must be readable: " + outcome.refusal + "\n  statement: " + step.describe();
            if (finding != null)
                return false;
            boolean gone = step.kind.equals("create") && outcome.failed;
            if (gone || (!outcome.compared && step.action == Step.Action.STATEMENT))
                return false;
        }
        return true;
    }
}
