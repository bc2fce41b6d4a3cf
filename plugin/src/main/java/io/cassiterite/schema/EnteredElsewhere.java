/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Keyspaces;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.ViewMetadata;

import io.cassiterite.node.EngineTable;
import io.cassiterite.node.PluginGossip;

/**
 * Rules for tables that have a stock memtable on this node and are in the engine on others: what Cassandra allows would fail
 * writes there, or lack the engine's rows. Pure.
 */
final class EnteredElsewhere
{
    private final Predicate<TableMetadata> isEngine;
    private final Function<String, Set<InetAddressAndPort>> membersWith;

    EnteredElsewhere()
    {
        this(EngineTable::is, PluginGossip::membersWith);
    }

    /**
     * @param isEngine    which tables this node keeps in the engine
     * @param membersWith the members that have published that they map a memtable key to the engine
     */
    EnteredElsewhere(Predicate<TableMetadata> isEngine, Function<String, Set<InetAddressAndPort>> membersWith)
    {
        this.isEngine = isEngine;
        this.membersWith = membersWith;
    }

    /** @return the reasons against the change from {@code before} to {@code after}, empty if there are none */
    List<String> refusals(Keyspaces before, Keyspaces after)
    {
        List<String> refusals = new ArrayList<>();
        for (KeyspaceMetadata keyspace : after)
        {
            KeyspaceMetadata previous = before.getNullable(keyspace.name);
            if (previous == null || previous == keyspace)
                continue;
            for (TableMetadata table : keyspace.tables)
            {
                TableMetadata was = previous.tables.getNullable(table.id);
                if (was != null && !isEngine.test(was))
                    add(refusals, was, additions(was, table, previous, keyspace));
            }
        }
        return refusals;
    }

    private void add(List<String> refusals, TableMetadata table, List<String> additions)
    {
        if (additions.isEmpty())
            return;
        Set<InetAddressAndPort> members = membersWith.apply(table.params.memtable.configurationKey());
        if (!members.isEmpty())
            refusals.add(String.format("%s is a Cassiterite table on %s, and has a stock memtable on this node: it gets no %s until its"
                                       + " memtable '%s' is the same on all nodes.", table, members, String.join(", ", additions),
                                       table.params.memtable.configurationKey()));
    }

    private static List<String> additions(TableMetadata before, TableMetadata after, KeyspaceMetadata keyspaceBefore,
                                          KeyspaceMetadata keyspaceAfter)
    {
        List<String> additions = new ArrayList<>();
        for (IndexMetadata index : after.indexes)
            if (!before.indexes.has(index.name))
                additions.add("index " + index.name);
        for (ViewMetadata view : keyspaceAfter.views.forTable(after.id))
            if (keyspaceBefore.views.getNullable(view.name()) == null)
                additions.add("view " + view.name());
        if (after.params.cdc && !before.params.cdc)
            additions.add("cdc");
        if (!after.params.memtable.configurationKey().equals(before.params.memtable.configurationKey()))
            additions.add("other memtable");
        return additions;
    }
}
