/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The seats of the index oracle. Thread-safe. */
final class IndexSeating implements Seating
{
    private static final int QUERIES_AT_ONCE = 30;

    private final Machine machine;
    private final List<Side> sides;
    private final Twin.Fault fault;
    final IndexTally tally = new IndexTally();

    /** @param fault spoils what the last side gets, null for none */
    IndexSeating(Machine machine, List<Side> sides, Twin.Fault fault)
    {
        this.machine = machine;
        this.sides = sides;
        this.fault = fault;
    }

    /** Fewer than of twins: schema changes take longest, and these tables have more of them. */
    @Override
    public int seats()
    {
        return 3;
    }

    @Override
    public int roundsPerEpoch()
    {
        return 10;
    }

    @Override
    public int playsPerRound()
    {
        return 50;
    }

    @Override
    public int outagesPerEpoch()
    {
        return 2;
    }

    /** Most of them queries, which are cheap beside the changes of the schema that new tables cost. */
    @Override
    public int stepsPerTable()
    {
        return 9000;
    }

    @Override
    public String progress()
    {
        return ": " + tally.queries() + " queries compared so far";
    }

    @Override
    public Tables tables(String keyspace, String name)
    {
        return new IndexedTables(machine, keyspace, name, sides, fault, tally);
    }

    @Override
    public Seat seat(long seed, Tables tables, List<ValueType> userTypes)
    {
        Random random = new Random(seed);
        return new IndexSeat(tables, TableShape.ofFewValues(random, userTypes), random, userTypes);
    }

    private static final class IndexSeat extends Seat
    {
        private final IndexChanges indexes;
        private final IndexQueries queries;
        private final Deque<Step> soon = new ArrayDeque<>();

        IndexSeat(Tables tables, TableShape shape, Random random, List<ValueType> userTypes)
        {
            super(tables, shape, shape.oddValues ? " AND comment = '" + OddValues.COMMENT + "'" : "", random, userTypes);
            indexes = new IndexChanges(shape, random);
            queries = new IndexQueries(shape, indexes, random);
            soon.addAll(indexes.begin());
        }

        @Override
        List<Step> next()
        {
            if (!soon.isEmpty())
                return List.of(soon.poll());
            if (indexes.targets().isEmpty() && random.nextInt(3) == 0)
                soon.addAll(indexes.begin());
            int pick = random.nextInt(1000);
            if (pick < 400)
                return List.of(allowed(writes::next));
            if (pick < 920)
                return queries(QUERIES_AT_ONCE);
            if (pick < 930)
                return reads.everything();
            if (pick < 970)
                return maintenance();
            if (pick < 990)
                return List.of(indexes.next());
            List<Step> steps = changes.next();
            if (steps.get(0).kind.equals("drop"))
            {
                indexes.tableDropped();
                soon.addAll(indexes.begin());
            }
            return steps;
        }

        /** A query may look for an odd value, but no write may bring it, unless the table may hold them. */
        private Step allowed(Supplier<Step> steps)
        {
            Step step = steps.get();
            while (!shape.oddValues && !step.read && OddValues.isIn(step))
                step = steps.get();
            return step;
        }

        private List<Step> maintenance()
        {
            Step.Action[] actions = { Step.Action.FLUSH_STOCK, Step.Action.FLUSH_ENGINE, Step.Action.COMPACT_STOCK,
                                      Step.Action.COMPACT_ENGINE };
            List<Step> steps = new ArrayList<>(List.of(Step.node(actions[random.nextInt(actions.length)])));
            steps.addAll(queries(3));
            return steps;
        }

        private List<Step> queries(int count)
        {
            return Stream.generate(() -> allowed(queries::next)).limit(count).collect(Collectors.toList());
        }

        @Override
        List<Step> everything()
        {
            List<Step> steps = super.everything();
            steps.addAll(queries(4));
            return steps;
        }

        @Override
        void refused(Step step)
        {
            super.refused(step);
            indexes.refused(step);
        }
    }
}
