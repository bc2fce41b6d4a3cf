/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;

/** The keyspace of an epoch, with its types and the names of its tables. Thread-safe. */
final class EpochKeyspace
{
    /** A keyspace of many tables is dropped slowly where the machine has other work. */
    private static final Duration SCHEMA_BOUND = Duration.ofMinutes(3);

    private final Machine machine;
    private final Seating seating;
    private final String name;
    private final AtomicInteger tablesMade = new AtomicInteger();

    EpochKeyspace(Machine machine, Seating seating, long seed)
    {
        this.machine = machine;
        this.seating = seating;
        this.name = "oracle_" + Long.toUnsignedString(seed, 36);
    }

    /** @return tables that do not exist yet */
    Tables tables()
    {
        return seating.tables(name, "t" + tablesMade.getAndIncrement());
    }

    void create()
    {
        drop();
        execute("CREATE KEYSPACE " + name + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        execute("CREATE TYPE " + name + ".u0 (a int, b text, c frozen<set<int>>)");
        execute("CREATE TYPE " + name + ".u1 (x decimal, y frozen<u0>, z frozen<map<text, bigint>>)");
    }

    void drop()
    {
        execute("DROP KEYSPACE IF EXISTS " + name);
    }

    /** @return the types that {@link #create} makes */
    static List<ValueType> userTypes()
    {
        ValueType integer = ValueType.nativeType("int");
        ValueType text = ValueType.nativeType("text");
        ValueType u0 = ValueType.userType("u0", true, List.of("a", "b", "c"), List.of(integer, text, ValueType.set(integer)));
        ValueType u1 = ValueType.userType("u1", true, List.of("x", "y", "z"),
                                          List.of(ValueType.nativeType("decimal"), u0, ValueType.map(text,
                                                  ValueType.nativeType("bigint"))));
        return List.of(u0, u1);
    }

    private void execute(String cql)
    {
        machine.session().execute(SimpleStatement.newInstance(cql).setTimeout(SCHEMA_BOUND));
    }
}
