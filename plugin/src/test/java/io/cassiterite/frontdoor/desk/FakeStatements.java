/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MD5Digest;

/** Prepared statements of which a test says what they are. A recipe is the statement's id. */
final class FakeStatements implements Statements
{
    final Map<MD5Digest, Object> prepared = new HashMap<>();
    final Map<Object, TableId> tables = new HashMap<>();
    final Set<MD5Digest> unsuitable = new HashSet<>();
    final List<String> found = new ArrayList<>();
    /** What happens while a recipe is learned. */
    Runnable meanwhile = () -> {};

    MD5Digest prepare(char letter, TableId table)
    {
        return prepare(FakeDoor.id(letter), table);
    }

    MD5Digest prepare(MD5Digest id, TableId table)
    {
        Object statement = new Object();
        prepared.put(id, statement);
        tables.put(statement, table);
        return id;
    }

    @Override
    public Object find(MD5Digest id)
    {
        found.add(FakeDoor.name(id));
        return prepared.get(id);
    }

    @Override
    public Statement served(MD5Digest id, Object statement)
    {
        return tables.get(statement) == null ? null : new Statement(id, tables.get(statement), "shop", null, "SELECT", statement);
    }

    @Override
    public Lesson learn(Statement statement)
    {
        meanwhile.run();
        return unsuitable.contains(statement.id) ? Lesson.refused("test") : Lesson.recipe(statement.id.bytes);
    }

    @Override
    public Map<MD5Digest, ?> all()
    {
        return new HashMap<>(prepared);
    }
}
