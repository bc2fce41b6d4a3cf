/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Tables of one shape in one node that get the same steps, and whose answers are compared. One thread. */
interface Tables
{
    String keyspace();

    /** Runs a step on all sides and compares what they answer. */
    Outcome run(Step step);

    /**
     * Begins steps in their order; where none of them changes anything, the node may get them all at once.
     *
     * @return of each step, what waits for its outcome; to be asked in the same order
     */
    default List<Supplier<Outcome>> begin(List<Step> steps)
    {
        return steps.stream().map(step -> (Supplier<Outcome>) () -> run(step)).collect(Collectors.toList());
    }

    /** The stock sides may lose what the periodic commit log had not synced; only the engine promises more. */
    void beforeKill();

    /** @return the node's clock */
    long nowSeconds();

    /** @param cql CREATE TABLE with {t} for the table's name and {m} for its memtable */
    default Outcome create(String cql)
    {
        return run(Step.write("create", cql, List.of(), Step.SERVER_STAMP));
    }

    default void drop()
    {
        run(Step.write("drop", "DROP TABLE IF EXISTS {t}", List.of(), Step.SERVER_STAMP));
    }
}
