/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.node.EngineTable;

/** Finds the engine tables that an operator's command is about. */
public final class EngineTableFinder
{
    private EngineTableFinder()
    {
    }

    /** @throws IllegalArgumentException if there is no such engine table */
    static ColumnFamilyStore named(String keyspace, String table)
    {
        TableMetadata metadata = Schema.instance.getTableMetadata(keyspace, table);
        if (metadata == null)
            throw new IllegalArgumentException("there is no table " + keyspace + '.' + table);
        if (!EngineTable.is(metadata))
            throw new IllegalArgumentException(metadata + " is not a Cassiterite table (memtable '" +
                                               metadata.params.memtable.configurationKey() + "')");
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(metadata.id);
        if (cfs == null)
            throw new IllegalArgumentException(metadata + " is not open");
        return cfs;
    }

    /**
     * @param tables names as nodetool takes them, empty for all tables of the keyspace
     * @return the engine tables among them; none if Cassandra would refuse the names
     */
    public static List<ColumnFamilyStore> selected(String keyspace, String... tables)
    {
        List<ColumnFamilyStore> selected = new ArrayList<>();
        Iterable<ColumnFamilyStore> named;
        try
        {
            named = StorageService.instance.getValidColumnFamilies(true, false, keyspace, tables);
        }
        catch (Exception e)
        {
            return selected; // Cassandra's own method reports the error
        }
        for (ColumnFamilyStore cfs : named)
            if (EngineTable.is(cfs))
                selected.add(cfs);
        return selected;
    }

    /** @return the names of a keyspace's stock tables and views */
    public static List<String> others(String keyspace)
    {
        return names(keyspace, table -> !EngineTable.is(table));
    }

    /** @return the names of all of a keyspace's tables and views */
    public static List<String> all(String keyspace)
    {
        return names(keyspace, table -> true);
    }

    private static List<String> names(String keyspace, Predicate<TableMetadata> which)
    {
        List<String> names = new ArrayList<>();
        KeyspaceMetadata metadata = Schema.instance.getKeyspaceMetadata(keyspace);
        if (metadata != null)
            for (TableMetadata table : metadata.tablesAndViews())
                if (which.test(table))
                    names.add(table.name);
        return names;
    }

    /**
     * @param entities as {@code nodetool snapshot} passes them: nothing for all keyspaces, keyspaces, or keyspace.table
     * @return the engine tables among them
     */
    public static List<ColumnFamilyStore> selectedEntities(String... entities)
    {
        List<ColumnFamilyStore> selected = new ArrayList<>();
        if (entities == null || entities.length == 0)
            for (Keyspace keyspace : Keyspace.all())
                selected.addAll(selected(keyspace.getName()));
        else
            for (String entity : entities)
            {
                int dot = entity.indexOf('.');
                selected.addAll(dot < 0 ? selected(entity)
                                        : selected(entity.substring(0, dot), entity.substring(dot + 1)));
            }
        return selected;
    }
}
