/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.List;

/** What an oracle plays on: which tables, and which steps. Thread-safe. */
interface Seating
{
    /** @return how many seats an epoch has at a time */
    int seats();

    int roundsPerEpoch();

    /** @return how many plays, of one or some steps, each seat has between two events of the node */
    int playsPerRound();

    /** @return how often in an epoch the node is restarted or killed: counted in plays, since a start takes as long as thousands */
    int outagesPerEpoch();

    /** @return after how many steps tables give way to others */
    int stepsPerTable();

    /** @return tables that do not exist yet */
    Tables tables(String keyspace, String name);

    /** @return a seat with random steps for tables of its own shape */
    Seat seat(long seed, Tables tables, List<ValueType> userTypes);

    /** @return what has been compared so far, for a line that ends with it: a run may end before its report */
    default String progress()
    {
        return "";
    }
}
