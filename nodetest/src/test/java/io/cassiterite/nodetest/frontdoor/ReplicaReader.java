/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.List;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A client of one node, which reads rows of one table: {@code v} by {@code k}. */
final class ReplicaReader implements AutoCloseable
{
    private static final Duration BOUND = Duration.ofSeconds(120);

    private final Cql cql;
    private final com.datastax.oss.driver.api.core.metadata.Node node;
    private final PreparedStatement select;

    ReplicaReader(Node of, String table)
    {
        cql = of.cql();
        node = cql.own();
        select = cql.session().prepare("SELECT v FROM " + table + " WHERE k = ?");
    }

    int read(int k, ConsistencyLevel level)
    {
        return cql.session().execute(select.bind(k).setConsistencyLevel(level).setNode(node)).one().getInt("v");
    }

    /** Reads until the door answers. */
    void awaitNative(int k, ConsistencyLevel level)
    {
        long first = count("executes_answered");
        Await.until("the door answers at " + level, BOUND, () -> {
            read(k, level);
            return count("executes_answered") > first;
        });
    }

    void assertReads(int reads, int k, int v, ConsistencyLevel level)
    {
        for (int i = 0; i < reads; i++)
            assertEquals(v, read(k, level), level.toString());
    }

    long count(String name)
    {
        List<Row> rows = cql.localRows("SELECT count FROM cassiterite.front_door WHERE name = '" + name + '\'');
        return rows.get(0).getLong("count");
    }

    @Override
    public void close()
    {
        cql.close();
    }
}
