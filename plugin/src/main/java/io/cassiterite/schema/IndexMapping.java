/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.apache.cassandra.cql3.statements.schema.AlterSchemaStatement;
import org.apache.cassandra.cql3.statements.schema.CreateIndexStatement;
import org.apache.cassandra.cql3.statements.schema.IndexAttributes;
import org.apache.cassandra.cql3.statements.schema.IndexTarget;
import org.apache.cassandra.db.marshal.VectorType;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.index.sai.StorageAttachedIndex;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.node.EngineTable;
import io.cassiterite.reflect.PrivateMember;

/**
 * Makes an index of the engine of CREATE INDEX on an engine table: of one that names no class, and of one that names SAI
 * and means the same here. Other classes are left for {@link SchemaRules} to refuse. Thread-safe.
 */
final class IndexMapping
{
    /** The class of indexes of the engine. */
    static final String CLASS = "io.cassiterite.index.EngineIndex";

    private static final String OPTIONS = "options";
    private static final Pattern NAME_REFUSAL = Pattern.compile("Column '.*' (contains non-alphanumeric-underscore characters"
                                                                + "|is longer than the permissible name length.*)", Pattern.DOTALL);
    private static final Set<String> SAI_NAMES = Set.of("sai", StorageAttachedIndex.class.getSimpleName().toLowerCase(),
                                                        StorageAttachedIndex.class.getCanonicalName().toLowerCase());
    /** Options that the engine's index has, too, and the values of them that change nothing. */
    private static final Map<String, String> NEUTRAL = Map.of("case_sensitive", "true", "normalize", "false", "ascii", "false");

    private IndexMapping()
    {
    }

    /**
     * May be called again for a statement.
     *
     * @return what the client is told; null if the statement makes no index of the engine
     * @throws InvalidRequestException if it asks SAI for what the engine's index does not do
     */
    static String applyTo(AlterSchemaStatement statement)
    {
        if (!(statement instanceof CreateIndexStatement))
            return null;
        TableMetadata table = table(statement);
        if (table == null || !EngineTable.is(table))
            return null;
        IndexAttributes attributes = (IndexAttributes) PrivateMember.CREATED_INDEX_ATTRIBUTES.get(statement);
        if (attributes.customClass == null)
        {
            attributes.isCustom = true;
            attributes.customClass = CLASS;
        }
        else if (attributes.isCustom && SAI_NAMES.contains(attributes.customClass.toLowerCase()))
        {
            takeOptions(attributes, table);
            attributes.customClass = CLASS;
        }
        return attributes.isCustom && CLASS.equals(attributes.customClass) ? notice(table) : null;
    }

    /**
     * Adds the way out where Cassandra refuses a column's name only because the index has a class.
     *
     * @param refusal what Cassandra says to the statement
     */
    static void explain(RuntimeException refusal)
    {
        String reason = String.valueOf(refusal.getMessage());
        if (NAME_REFUSAL.matcher(reason).matches())
            throw new InvalidRequestException(reason + ". The index of a Cassiterite table has a class, and Cassandra takes only such names"
                                              + " for it. Index another column that has the same values, or use another memtable.");
    }

    private static String notice(TableMetadata table)
    {
        return String.format("%s is a Cassiterite table: its index is one of Cassiterite (USING '%s'), which answers =, ranges,"
                             + " CONTAINS and CONTAINS KEY.", table, CLASS);
    }

    /** The table of CREATE INDEX; null if there is none. */
    static TableMetadata table(AlterSchemaStatement statement)
    {
        KeyspaceMetadata keyspace = statement.keyspace() == null ? null : Schema.instance.getKeyspaceMetadata(statement.keyspace());
        return keyspace == null ? null : keyspace.getTableOrViewNullable((String) PrivateMember.CREATED_INDEX_TABLE.get(statement));
    }

    /**
     * Refuses an index on a vector: who wants one wants the nearest neighbours, which an index of equal values does not know.
     *
     * @param statement CREATE INDEX that makes an index of the engine, and that Cassandra takes
     */
    static void refuseVectors(AlterSchemaStatement statement)
    {
        TableMetadata table = table(statement);
        for (Object target : (List<?>) PrivateMember.CREATED_INDEX_TARGETS.get(statement))
        {
            ColumnMetadata column = table.getColumn(((IndexTarget.Raw) target).prepare(table).column);
            if (column != null && column.type.unwrap() instanceof VectorType)
                throw new InvalidRequestException(String.format("%s is a Cassiterite table, whose indexes do not order vectors by distance"
                                                                + " (ANN): no index on %s. Keep the vectors in a table with another"
                                                                + " memtable, under the same primary key, and index them there with SAI.",
                                                                table, column.name));
        }
    }

    /** Keeps those that transform texts. */
    private static void takeOptions(IndexAttributes attributes, TableMetadata table)
    {
        Map<?, ?> properties = (Map<?, ?>) PrivateMember.STATEMENT_PROPERTIES.get(attributes);
        Object given = properties.get(OPTIONS);
        if (!(given instanceof Map))
            return;
        Map<String, String> options = new HashMap<>();
        ((Map<?, ?>) given).forEach((name, value) -> options.put(String.valueOf(name), String.valueOf(value)));
        NEUTRAL.forEach((name, value) -> {
            if (value.equalsIgnoreCase(options.get(name)))
                options.remove(name);
        });
        Map<String, String> others = new HashMap<>(options);
        others.keySet().removeAll(NEUTRAL.keySet());
        if (!others.isEmpty())
            throw new InvalidRequestException(String.format("%s is a Cassiterite table, whose indexes do not do what these options ask of"
                                                            + " SAI: %s. Create the index without them, or use another memtable for"
                                                            + " the table.", table, others));
        attributes.removeProperty(OPTIONS);
        if (!options.isEmpty())
            attributes.addProperty(OPTIONS, options);
    }
}
