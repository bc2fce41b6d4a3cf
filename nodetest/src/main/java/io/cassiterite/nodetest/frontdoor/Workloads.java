/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The tables of a round with their statements; some are used more than others. One thread. */
final class Workloads
{
    private static final int FOCUS_USES = 100;

    private final String keyspace;
    private final Exchanges exchanges;
    private final Random random;
    private final List<Workload> all = new ArrayList<>();
    private Workload focus;
    private int focusUses;

    Workloads(String keyspace, Exchanges exchanges, Random random)
    {
        this.keyspace = keyspace;
        this.exchanges = exchanges;
        this.random = random;
    }

    void add(Workload workload)
    {
        all.add(workload);
    }

    Workload any()
    {
        if (focusUses-- > 0)
            return focus;
        double share = random.nextDouble();
        return all.get((int) (all.size() * (random.nextBoolean() ? share : share * share)));
    }

    /** The next uses are all of this one, which has just changed. */
    void focus(Workload changed)
    {
        focus = changed;
        focusUses = FOCUS_USES;
    }

    /** Prepares a statement where that is due; one that the node refuses gives way to another. */
    boolean isPrepared(Statement statement, TwinConnection twin)
    {
        return exchanges.isPrepared(statement, twin, keyspace, refused -> all.forEach(workload -> workload.replace(refused)));
    }
}
