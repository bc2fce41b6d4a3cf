/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.List;

/** One set of tables in an oracle's run, with what makes its steps. One thread. */
abstract class Seat
{
    final Tables tables;
    final History history;

    Seat(Tables tables, String create)
    {
        this.tables = tables;
        this.history = new History(create);
    }

    /** @return the next random steps */
    abstract List<Step> next();

    /** @return reads of everything that the tables hold */
    abstract List<Step> everything();

    /** To be told of every step that all sides refused. */
    abstract void refused(Step step);
}
