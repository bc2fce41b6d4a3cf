/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.List;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;

/** A prepared SELECT, and whether the front door answers it. */
final class NativeReads
{
    private final Cql reader;
    private final NativeAnswers answers;
    private final PreparedStatement statement;
    private final ConsistencyLevel level;

    NativeReads(Cql cql, String select)
    {
        this(cql, cql, select, DefaultConsistencyLevel.ONE);
    }

    /** @param observer looks at the door's counts: by connections of its own, or those of the reads may be handed to Netty for it */
    NativeReads(Cql cql, Cql observer, String select, ConsistencyLevel level)
    {
        this.reader = cql;
        this.answers = new NativeAnswers(observer.session());
        this.statement = cql.session().prepare(select);
        this.level = level;
    }

    List<Row> read(Object... values)
    {
        return reader.session().execute(statement.bind(values).setConsistencyLevel(level)).all();
    }

    /** Reads once. @return whether the door answered */
    boolean isNative(Object... values)
    {
        return answers.isNative(() -> read(values));
    }

    /** Reads until the door answers. */
    void awaitNative(Object... values)
    {
        answers.await(() -> read(values));
    }

    /** See {@link NativeAnswers#awaitGate}. */
    void awaitGate(String gate, Object... values)
    {
        answers.awaitGate(gate, () -> read(values));
    }

    long answered()
    {
        return answers.answered();
    }
}
