/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The seats of the oracle on twin tables. Thread-safe. */
final class TwinSeating implements Seating
{
    private final Machine machine;
    private final String stockMemtable;
    private final String engineMemtable;
    private final Twin.Fault fault;

    TwinSeating(Machine machine, String stockMemtable, String engineMemtable, Twin.Fault fault)
    {
        this.machine = machine;
        this.stockMemtable = stockMemtable;
        this.engineMemtable = engineMemtable;
        this.fault = fault;
    }

    @Override
    public int seats()
    {
        return 12;
    }

    @Override
    public int roundsPerEpoch()
    {
        return 16;
    }

    @Override
    public int playsPerRound()
    {
        return 200;
    }

    @Override
    public int outagesPerEpoch()
    {
        return 1;
    }

    @Override
    public int stepsPerTable()
    {
        return 4000;
    }

    @Override
    public Tables tables(String keyspace, String name)
    {
        return new Twin(machine, keyspace, name, stockMemtable, engineMemtable, fault);
    }

    @Override
    public Seat seat(long seed, Tables tables, List<ValueType> userTypes)
    {
        Random random = new Random(seed);
        return new TwinSeat(tables, new TableShape(random, userTypes), random, userTypes);
    }

    private static final class TwinSeat extends Seat
    {
        private final PreparedReads prepared = new PreparedReads(shape, reads, random);
        private final PreparedWrites preparedWrites = new PreparedWrites(shape, random);

        TwinSeat(Tables tables, TableShape shape, Random random, List<ValueType> userTypes)
        {
            super(tables, shape, "", random, userTypes);
        }

        @Override
        void refused(Step step)
        {
            super.refused(step);
            prepared.refused(step);
            preparedWrites.refused(step);
        }

        @Override
        List<Step> next()
        {
            // A change of the schema, a flush and a compaction take as long as hundreds of statements; a prepared statement is 96.
            int pick = random.nextInt(10_000);
            if (pick < 6200)
                return List.of(writes.next());
            if (pick < 6400 && prepared.arePossible())
                return List.of(prepared.next());
            if (pick < 6600 && preparedWrites.arePossible())
                return List.of(preparedWrites.next());
            if (pick < 9650)
                return List.of(reads.next());
            if (pick < 9850)
                return reads.everything();
            if (pick < (shape.stamps == TableShape.Stamps.CLOCK ? 9930 : 9960))
            {
                Step.Action[] actions = { Step.Action.FLUSH_STOCK, Step.Action.FLUSH_ENGINE, Step.Action.FLUSH_ENGINE,
                                          Step.Action.COMPACT_STOCK, Step.Action.COMPACT_ENGINE, Step.Action.COMPACT_ENGINE };
                List<Step> steps = new ArrayList<>(List.of(Step.node(actions[random.nextInt(actions.length)])));
                steps.addAll(reads.everything());
                return steps;
            }
            return changes.next();
        }
    }
}
