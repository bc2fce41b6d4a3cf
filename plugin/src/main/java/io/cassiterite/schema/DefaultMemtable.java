/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import org.apache.cassandra.cql3.statements.schema.AlterSchemaStatement;
import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.cql3.statements.schema.TableAttributes;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableParams;

import io.cassiterite.reflect.PrivateMember;

/**
 * The system property {@code cassiterite.default_memtable}: the memtable configuration that a new user table gets when
 * its CREATE TABLE names none. Tables of Cassandra itself never get it. Safe from any thread.
 */
public final class DefaultMemtable
{
    public static final String PROPERTY = "cassiterite.default_memtable";

    private static final String MEMTABLE = TableParams.Option.MEMTABLE.toString();

    private final String configuration;

    private DefaultMemtable(String configuration)
    {
        this.configuration = configuration;
    }

    public static DefaultMemtable fromProperties()
    {
        return new DefaultMemtable(configurationName());
    }

    /** @return the configuration's name, or null if the property is not set */
    public static String configurationName()
    {
        String name = System.getProperty(PROPERTY);
        return name == null || name.isEmpty() ? null : name;
    }

    /** Adds the memtable option if the statement creates a user table without one. May be called again. */
    void applyTo(AlterSchemaStatement statement)
    {
        if (configuration == null || !(statement instanceof CreateTableStatement))
            return;
        if (statement.keyspace() == null || SchemaConstants.isSystemKeyspace(statement.keyspace()))
            return;

        TableAttributes attrs = (TableAttributes) PrivateMember.CREATED_TABLE_ATTRIBUTES.get(statement);
        if (!attrs.hasProperty(MEMTABLE))
            attrs.addProperty(MEMTABLE, configuration);
    }
}
