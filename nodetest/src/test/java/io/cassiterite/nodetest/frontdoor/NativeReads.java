/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.List;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;

/** A prepared SELECT, and whether the front door answers it. */
final class NativeReads
{
    private static final Duration BOUND = Duration.ofSeconds(10);

    private final Cql reader;
    private final Cql observer;
    private final PreparedStatement statement;
    private final ConsistencyLevel level;

    NativeReads(Cql cql, String select)
    {
        this(cql, cql, select, DefaultConsistencyLevel.ONE);
    }

    /** @param observer may read the plug-in's virtual tables */
    NativeReads(Cql reader, Cql observer, String select, ConsistencyLevel level)
    {
        this.reader = reader;
        this.observer = observer;
        this.statement = reader.session().prepare(select);
        this.level = level;
    }

    List<Row> read(Object... values)
    {
        return reader.session().execute(statement.bind(values).setConsistencyLevel(level)).all();
    }

    /** Reads once. @return whether the door answered */
    boolean isNative(Object... values)
    {
        long before = answered();
        read(values);
        return answered() > before;
    }

    /** Reads until the door answers. */
    void awaitNative(Object... values)
    {
        long end = System.nanoTime() + BOUND.toNanos();
        while (!isNative(values))
            if (System.nanoTime() > end)
                throw new AssertionError("the door answers nothing: " + gates() + ", " + counters() + ", " + plans());
    }

    /** Reads until a gate is reported as closed; of a table it is, once there is a plan. None of the reads is native. */
    void awaitGate(String gate, Object... values)
    {
        long end = System.nanoTime() + BOUND.toNanos();
        while (!gates().contains(gate))
        {
            if (isNative(values) || System.nanoTime() > end)
                throw new AssertionError(gate + " is not closed: " + gates());
        }
    }

    long answered()
    {
        return observer.rows("SELECT count FROM cassiterite.front_door WHERE name = 'executes_answered'").get(0).getLong("count");
    }

    /** The names of the gates that are closed. */
    List<String> gates()
    {
        return observer.rows("SELECT gate_name FROM cassiterite.front_door_gates").stream().map(row -> row.getString("gate_name")).toList();
    }

    private List<String> counters()
    {
        return observer.rows("SELECT name, count FROM cassiterite.front_door").stream().filter(row -> row.getLong("count") > 0)
                       .map(row -> row.getString("name") + ' ' + row.getLong("count")).toList();
    }

    private List<String> plans()
    {
        return observer.texts("SELECT * FROM cassiterite.front_door_plans");
    }
}
