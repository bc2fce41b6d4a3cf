/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.List;
import java.util.Random;

/** One set of tables of a random shape in an oracle's run, with what makes its steps. One thread. */
abstract class Seat
{
    final Tables tables;
    final History history;
    final TableShape shape;
    final Random random;
    final Writes writes;
    final Reads reads;
    final Changes changes;

    /** @param more follows CREATE TABLE; may be empty */
    Seat(Tables tables, TableShape shape, String more, Random random, List<ValueType> userTypes)
    {
        this.tables = tables;
        this.history = new History(shape.create() + more);
        this.shape = shape;
        this.random = random;
        this.writes = new Writes(shape, random);
        this.reads = new Reads(shape, random);
        this.changes = new Changes(shape, random, userTypes);
    }

    /** @return the next random steps */
    abstract List<Step> next();

    /** @return reads of everything that the tables hold */
    List<Step> everything()
    {
        return reads.everything();
    }

    /** To be told of every step that all sides refused. */
    void refused(Step step)
    {
        changes.refused(step);
    }
}
