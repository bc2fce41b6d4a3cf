/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Keyspaces;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.ViewMetadata;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.node.CommitLogArchiving;
import io.cassiterite.node.CommitLogParameter;
import io.cassiterite.node.EngineTable;

/**
 * The rules for schemas of engine tables, as pure functions. A change is refused only for what it adds, so that an
 * unsupported object that a peer has let through can still be dropped or left in place.
 */
public final class SchemaRules
{
    private final Predicate<TableMetadata> isEngine;
    private final Predicate<TableMetadata> skips;
    private final String archiving;

    public SchemaRules()
    {
        this(EngineTable::is, EngineTable::skipsCommitLog, CommitLogArchiving.configured());
    }

    /**
     * @param isEngine  which tables keep their data in the engine
     * @param skips     which of them have no writes in the commit log
     * @param archiving what of the commit log is archived or restored ({@link CommitLogArchiving#configured}), or null
     */
    SchemaRules(Predicate<TableMetadata> isEngine, Predicate<TableMetadata> skips, String archiving)
    {
        this.isEngine = isEngine;
        this.skips = skips;
        this.archiving = archiving;
    }

    /** @throws InvalidRequestException with every reason why the change from {@code before} to {@code after} is refused */
    public void check(Keyspaces before, Keyspaces after)
    {
        List<String> refusals = refusals(before, after);
        if (!refusals.isEmpty())
            throw new InvalidRequestException(String.join(" ", refusals));
    }

    /** @return the reasons against the change from {@code before} to {@code after}, empty if there are none */
    public List<String> refusals(Keyspaces before, Keyspaces after)
    {
        List<String> refusals = new ArrayList<>();
        for (KeyspaceMetadata keyspace : after)
        {
            KeyspaceMetadata previous = before.getNullable(keyspace.name);
            if (keyspace == previous)
                continue;

            Set<String> reasons = violations(keyspace);
            if (previous != null)
                reasons.removeAll(violations(previous));
            refusals.addAll(tableChanges(previous, keyspace));
            refusals.addAll(reasons);
        }
        return refusals;
    }

    /** @return what is unsupported in this keyspace's engine tables as it stands */
    public Set<String> violations(KeyspaceMetadata keyspace)
    {
        Set<String> reasons = new LinkedHashSet<>();
        boolean hasEngineTables = false;
        for (TableMetadata table : keyspace.tables)
        {
            if (!isEngine.test(table))
            {
                reasons.addAll(strayIndexes(table));
                continue;
            }
            hasEngineTables = true;
            reasons.addAll(violations(table, skips));
        }
        for (ViewMetadata view : keyspace.views)
            reasons.addAll(violations(keyspace, view));
        if (hasEngineTables && hasTransientReplicas(keyspace))
            reasons.add(String.format("Keyspace %s has transient replicas, which rely on incremental repair; " +
                                      "Cassiterite tables do not support it yet. Use full replicas for this keyspace.",
                                      keyspace.name));
        return reasons;
    }

    /** @return what is unsupported in this engine table as it stands */
    public static Set<String> violations(TableMetadata table)
    {
        return violations(table, EngineTable::skipsCommitLog);
    }

    private static Set<String> violations(TableMetadata table, Predicate<TableMetadata> skips)
    {
        Set<String> reasons = new LinkedHashSet<>();
        if (SchemaConstants.isSystemKeyspace(table.keyspace))
            reasons.add(String.format("%s is a table of Cassandra itself and must keep a stock memtable.", table));
        if (!(table.partitioner instanceof Murmur3Partitioner))
            reasons.add(String.format("%s uses %s; Cassiterite tables need Murmur3Partitioner.",
                                      table, table.partitioner.getClass().getSimpleName()));
        if (table.isCompactTable())
            reasons.add(String.format("%s uses COMPACT STORAGE, which Cassiterite tables do not support. Create it " +
                                      "without COMPACT STORAGE, or with another memtable.", table));
        if (table.params.cdc && skips.test(table))
            reasons.add(String.format("%s has cdc enabled, but writes to a Cassiterite table do not go through the commit log unless its " +
                                      "memtable configuration has %s: true. Set that on each node, set cdc = false, or use another " +
                                      "memtable.", table, CommitLogParameter.NAME));
        if (Boolean.parseBoolean(table.params.compaction.options().get(AbstractCompactionStrategy.ONLY_PURGE_REPAIRED_TOMBSTONES)))
            reasons.add(String.format("%s has only_purge_repaired_tombstones, but rows in Cassiterite are never marked repaired: its " +
                                      "tombstones would never go. Leave it out, and repair within gc_grace_seconds.", table));
        for (IndexMetadata index : table.indexes)
            if (!isEngineIndex(index))
                reasons.add(String.format("Index %s (%s): Cassandra builds it from sstables, of which %s, a Cassiterite table, has none. " +
                                          "Create it without USING, which makes an index of Cassiterite, or use another memtable.",
                                          index.name, kind(index), table));
        return reasons;
    }

    private static List<String> strayIndexes(TableMetadata table)
    {
        List<String> reasons = new ArrayList<>();
        for (IndexMetadata index : table.indexes)
            if (isEngineIndex(index))
                reasons.add(String.format("Index %s is one of Cassiterite, but %s is not a Cassiterite table. Create the index without " +
                                          "USING.", index.name, table));
        return reasons;
    }

    /** Whether an index is one that the engine keeps. */
    public static boolean isEngineIndex(IndexMetadata index)
    {
        return index.isCustom() && IndexMapping.CLASS.equals(index.getIndexClassName());
    }

    private List<String> violations(KeyspaceMetadata keyspace, ViewMetadata view)
    {
        List<String> reasons = new ArrayList<>();
        TableMetadata base = keyspace.tables.getNullable(view.baseTableId);
        if (base != null && isEngine.test(base))
            reasons.add(String.format("Materialized view %s: its base table %s is a Cassiterite table, which does not " +
                                      "support materialized views yet. Maintain a second table from the application, " +
                                      "or use another memtable for the base table.", view.metadata, base));
        if (isEngine.test(view.metadata))
            reasons.add(String.format("Materialized view %s cannot itself use a Cassiterite memtable yet; leave its " +
                                      "memtable option out.", view.metadata));
        return reasons;
    }

    /** @param before null if the keyspace is new */
    private List<String> tableChanges(KeyspaceMetadata before, KeyspaceMetadata after)
    {
        List<String> reasons = new ArrayList<>();
        for (TableMetadata table : after.tables)
        {
            TableMetadata previous = before == null ? null : before.tables.getNullable(table.id);
            // one that exists already must not prevent changes of others; the node's next start checks it
            if (archiving != null && skips.test(table) && (previous == null || !skips.test(previous)))
                reasons.add(CommitLogArchiving.refusal(table.toString(), archiving));
            if (previous != null && isEngine.test(previous) != isEngine.test(table))
                reasons.add(memtableChange(previous, table));
            if (previous != null && isEngine.test(table))
                reasons.addAll(PartialDrops.refusals(previous, table, FBUtilities.timestampMicros()));
        }
        return reasons;
    }

    /**
     * A switch between memtables is refused even when the table looks empty here: neither another node's data nor a
     * write in flight can be ruled out, and what one side wrote would be invisible to the other after a crash. Nodes
     * enter one by one, by what they map the table's configuration to.
     */
    private String memtableChange(TableMetadata before, TableMetadata after)
    {
        String from = before.params.memtable.configurationKey();
        String to = after.params.memtable.configurationKey();
        if (isEngine.test(after))
            return String.format("%s: the memtable of an existing table cannot change to Cassiterite ('%s' to '%s') while this node" +
                                 " maps '%s' to it. Either map a new configuration to a stock class on every node (class_name:" +
                                 " TrieMemtable), restart, alter the table to it, and then map it to Cassiterite node by node: the" +
                                 " rows stay readable. Or create a new table, copy the rows, drop the old table.", after, from, to, to);
        return String.format("%s: the memtable of an existing table cannot change from Cassiterite ('%s' to '%s'): its rows would be" +
                             " invisible. On each node move it out (io.cassiterite.tools.Move), drain, map '%s' to a stock class" +
                             " and start; alter it when all nodes have. Or create a new table, copy the rows, drop the old table.",
                             after, from, to, from);
    }

    /** Replication factors with transient replicas are written "3/1". */
    private static boolean hasTransientReplicas(KeyspaceMetadata keyspace)
    {
        return keyspace.params.replication.options.values().stream().anyMatch(factor -> factor.contains("/"));
    }

    private static String kind(IndexMetadata index)
    {
        return index.isCustom() ? index.getIndexClassName() : index.kind.toString();
    }
}
