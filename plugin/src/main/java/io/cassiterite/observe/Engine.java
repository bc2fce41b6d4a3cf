/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.MBeanWrapper;

import io.cassiterite.engine.TableStats;
import io.cassiterite.move.Exports;
import io.cassiterite.move.MoveReport;
import io.cassiterite.node.Direction;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.EngineTable;
import io.cassiterite.node.UnreadFiles;

/** @see EngineMBean */
public final class Engine implements EngineMBean
{
    private static final List<String> TOPICS = List.of("tables", "levels", "stalls", "caches", "settings", "work", "compactions");

    private static final Logger logger = LoggerFactory.getLogger(Engine.class);

    private final EngineControl engine;

    private Engine(EngineControl engine)
    {
        this.engine = engine;
    }

    /** Registers the MBean; called once. */
    public static void register(EngineControl engine)
    {
        MBeanWrapper.instance.registerMBean(new Engine(engine), OBJECT_NAME);
    }

    @Override
    public String getVersion()
    {
        return engine.version();
    }

    @Override
    public String getStoreDirectory()
    {
        return engine.storeDirectory().toString();
    }

    @Override
    public String getBackgroundError()
    {
        String error = RemoteFailure.guard("reading the engine's state", engine::backgroundError);
        return error == null ? "" : error.replace('\t', ' ');
    }

    @Override
    public void flush(String keyspace, String table)
    {
        ColumnFamilyStore cfs = EngineTableFinder.named(keyspace, table);
        RemoteFailure.guard("flushing " + cfs.metadata(), () -> engine.flush(cfs));
    }

    @Override
    public void compact(String keyspace, String table)
    {
        ColumnFamilyStore cfs = EngineTableFinder.named(keyspace, table);
        RemoteFailure.guard("compacting " + cfs.metadata(), () -> engine.compact(cfs));
    }

    @Override
    public long snapshotLoad(String keyspace, String table, String directory)
    {
        ColumnFamilyStore cfs = EngineTableFinder.named(keyspace, table);
        checkSnapshot(directory);
        checkKey(Path.of(directory), cfs.metadata());
        long loaded = RemoteFailure.guard("loading " + directory + " into " + cfs.metadata(), () -> engine.load(cfs, directory));
        String beside = SnapshotFolder.sstablesBeside(Path.of(directory));
        if (beside != null)
            logger.warn("Loaded {} into {}: {}", directory, cfs.metadata(), beside);
        return loaded;
    }

    private static void checkSnapshot(String directory)
    {
        String why = SnapshotFolder.whyNotFound(directory);
        if (why == null)
            why = obstacle(Path.of(directory));
        if (why != null)
            throw new IllegalArgumentException(why);
    }

    private static void checkKey(Path at, TableMetadata table)
    {
        String key = compareKey(Files.isDirectory(at) ? at : at.getParent(), table);
        if (!key.equals(KeyComparison.SAME) && !key.equals(KeyComparison.UNKNOWN))
            throw new IllegalArgumentException(at + " is of a table with another key: " + key + ". Rows under another key make " + table +
                                               " unreadable. Load it into a table with the backup's key");
    }

    /** @return why the node loads nothing from there, or null if it does */
    private static String obstacle(Path folder)
    {
        for (String data : DatabaseDescriptor.getAllDataFileLocations())
            if (UnreadFiles.isUnread(folder.normalize(), Path.of(data).toAbsolutePath().normalize()))
                return folder + " is in the data folder of a table, where its files would keep the node from its next start. Move them " +
                       "out of " + data + ", and load them from there";
        return null;
    }

    @Override
    public String reportBackup(String source)
    {
        boolean isFolder = source.contains("/");
        String why = isFolder ? SnapshotFolder.whyNotFound(source) : null;
        if (why != null)
            throw new IllegalArgumentException(why);
        BackupReport report = new BackupReport(Engine::obstacle, Engine::compareKey);
        if (isFolder)
            report.addFolder(Path.of(source).normalize());
        else
            report.addSnapshot(Arrays.stream(DatabaseDescriptor.getAllDataFileLocations()).map(data -> Path.of(data).toAbsolutePath())
                                     .collect(Collectors.toList()), source);
        RemoteFailure.guard("looking at the node's tables", () -> addTables(report));
        return report.text();
    }

    /** Under one id a key stays the same. */
    private static String compareKey(Path folder, Map<String, String> manifest)
    {
        TableMetadata metadata = Schema.instance.getTableMetadata(manifest.get("keyspace_name"), manifest.get("table_name"));
        if (metadata == null || metadata.id.toString().equals(manifest.get("table_id")))
            return "";
        String written = manifest.get("key");
        return written.isEmpty() ? compareKey(folder, metadata) : KeyComparison.of(written, metadata);
    }

    /** Manifests of former versions do not tell it. */
    private static String compareKey(Path folder, TableMetadata table)
    {
        return KeyComparison.of(folder.resolveSibling("schema.cql"), table, Schema.instance.getKeyspaceMetadata(table.keyspace).types);
    }

    private void addTables(BackupReport report)
    {
        for (String keyspace : Schema.instance.getKeyspaces())
            for (TableMetadata table : Schema.instance.getKeyspaceMetadata(keyspace).tablesAndViews())
                report.addTable(table.keyspace, table.name, table.id.toString(), EngineTable.is(table), hasRows(table));
    }

    private boolean hasRows(TableMetadata table)
    {
        if (!EngineTable.is(table))
            return false;
        TableStats stats = engine.stats(table);
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(table.id);
        return stats != null && !stats.isPristine() || cfs != null && !cfs.getLiveSSTables().isEmpty();
    }

    @Override
    public void move(String keyspace, String table, String direction)
    {
        Direction wanted = Direction.of(direction);
        ColumnFamilyStore cfs = EngineTableFinder.named(keyspace, table);
        engine.direct(cfs, wanted); // its exceptions are Java's own, and a refusal is no failure of the node
    }

    @Override
    public String getMoves()
    {
        return RemoteFailure.guard("reading the moves", MoveReport::of);
    }

    @Override
    public void export(String keyspace, String table, String directory)
    {
        engine.export(EngineTableFinder.named(keyspace, table), directory); // as for a move
    }

    @Override
    public String getExports()
    {
        return RemoteFailure.guard("reading the exports", Exports.instance::report);
    }

    @Override
    public void set(String parameter, String value)
    {
        RemoteFailure.guard("setting " + parameter, () -> engine.set(Map.of(parameter, value)));
    }

    @Override
    public void resume()
    {
        RemoteFailure.guard("resuming writes", engine::resume);
    }

    @Override
    public String report(String topic)
    {
        if (!TOPICS.contains(topic))
            throw new IllegalArgumentException("unknown topic '" + topic + "', known are " + TOPICS);
        return RemoteFailure.guard("reporting " + topic, () -> engine.report(topic));
    }
}
