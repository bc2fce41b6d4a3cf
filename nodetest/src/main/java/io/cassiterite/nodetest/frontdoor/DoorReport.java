/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.Map;
import java.util.TreeMap;

import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

/** What the door says of itself: how much it answered, and how many statements it answers or why not. One thread. */
public final class DoorReport
{
    private final Node node;
    private final Map<String, Long> statements = new TreeMap<>();

    DoorReport(Node node)
    {
        this.node = node;
    }

    /** Counts the statements that the door knows now; those of dropped tables it forgets. */
    void addStatements(String keyspace)
    {
        try (Cql cql = node.cql())
        {
            for (Row row : cql.localRows("SELECT state_text, query_text FROM cassiterite.front_door_recipes"))
                if (String.valueOf(row.getString("query_text")).contains(keyspace))
                    statements.merge(String.valueOf(row.getString("state_text")), 1L, Long::sum);
        }
    }

    /** @return how many EXECUTEs the door has answered */
    public long answered()
    {
        return counts().getOrDefault("executes_answered", 0L);
    }

    private Map<String, Long> counts()
    {
        Map<String, Long> counts = new TreeMap<>();
        try (Cql cql = node.cql())
        {
            for (Row row : cql.localRows("SELECT name, count FROM cassiterite.front_door"))
                counts.put(row.getString("name"), row.getLong("count"));
        }
        return counts;
    }

    @Override
    public String toString()
    {
        StringBuilder text = new StringBuilder("the door:\n");
        counts().forEach((name, count) -> {
            if (count > 0)
                text.append(String.format("  %-40s %12d%n", name, count));
        });
        text.append("statements that it knew:\n");
        statements.forEach((state, count) -> text.append(String.format("  %-12d %s%n", count, state)));
        return text.toString();
    }
}
