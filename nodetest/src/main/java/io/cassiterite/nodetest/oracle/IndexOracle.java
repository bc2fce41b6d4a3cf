/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The oracle of secondary indexes: an {@link Oracle} whose tables have indexes, and what it compared. One thread. */
public final class IndexOracle
{
    /** Whose indexes are compared. */
    public enum Mode
    {
        /** Those of engine tables with both kinds of stock's. */
        ENGINE(Side.FILTER, Side.LEGACY, Side.SAI, Side.ENGINE),
        /** Both kinds of stock's, for the oracle itself. */
        STOCK_ONLY(Side.FILTER, Side.LEGACY, Side.SAI);

        private final List<Side> sides;

        Mode(Side... sides)
        {
            this.sides = List.of(sides);
        }

        /** @param name {@code engine} or {@code stock-only} */
        public static Mode of(String name)
        {
            return valueOf(name.toUpperCase().replace('-', '_'));
        }
    }

    private final IndexSeating seating;
    private final Oracle oracle;

    /**
     * @param nodeEvents whether the node may be restarted, killed and its clock moved
     * @param fault      spoils what the last side gets, null for none
     */
    public IndexOracle(Machine machine, Mode mode, Path reports, boolean nodeEvents, Twin.Fault fault, Consumer<String> output)
    {
        seating = new IndexSeating(machine, mode.sides, fault);
        oracle = new Oracle(machine, seating, reports, nodeEvents, output);
    }

    /** As {@link Oracle#bounded}. */
    public IndexOracle bounded(int differences, long shrinkingSeconds)
    {
        oracle.bounded(differences, shrinkingSeconds);
        return this;
    }

    /** As {@link Oracle#run}. */
    public IndexOracle run(long seed, long seconds)
    {
        oracle.run(seed, seconds);
        return this;
    }

    public List<String> findings()
    {
        return oracle.findings();
    }

    /** @return index queries compared */
    public long queries()
    {
        return seating.tally.queries();
    }

    public String report()
    {
        return seating.tally.report();
    }
}
