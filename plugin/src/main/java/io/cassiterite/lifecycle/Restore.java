/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.node.StoreIdentity;
import io.cassiterite.node.StoreReport;
import io.cassiterite.node.SyncedFolder;
import io.cassiterite.node.UnreadFiles;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

/**
 * Takes in what a backup program has put into the folders of tables, each as its table is opened. A crash at any point is made
 * good by the next start: the mark precedes, and the files leave the folder when the store has them for good. They stay a
 * snapshot of the table.
 */
final class Restore
{
    private static final Logger logger = LoggerFactory.getLogger(Restore.class);

    private static final String HAS_ROWS = "the table has rows, which they would not replace. To have them instead of those rows, delete " +
                                           TableMarker.FILE_NAME + " in the folder, if it is there, and start with -D" +
                                           TableEntry.SET_ASIDE + "=%s, which puts the rows into a snapshot";

    private final StartFacts facts;
    /** By the ids of their tables. */
    private final Map<String, UnreadFiles> wanted;

    Restore(StartFacts facts)
    {
        this.facts = facts;
        this.wanted = new ConcurrentHashMap<>(RestoredFiles.of(facts).wanted);
    }

    /**
     * Looks at all tables before one is opened.
     *
     * @return why the node must not start, or null if it may
     */
    String refusal(Store store)
    {
        return wanted.isEmpty() ? null : refusal(store.directory(), StoreReport.parse(store.report("tables")));
    }

    String refusal(String storeDirectory, StoreReport tables)
    {
        Set<String> written = tables.rows.stream().filter(row -> row.get("index_name").isEmpty() && row.get("never_written").equals("0"))
                                         .map(row -> row.get("table_id")).collect(Collectors.toSet());
        Map<UnreadFiles, String> refused = new LinkedHashMap<>();
        facts.unreadFiles.stream().filter(files -> wanted.containsValue(files) && written.contains(files.tableId())
                                                   && !TableEntry.isSetAside(name(files))).forEach(files -> {
            String why = whyNotInto(files, storeDirectory);
            if (why != null)
                refused.put(files, why);
        });
        return refused.isEmpty() ? null : String.join(" * ", UnreadFilesRefusal.of(refused, facts)) + optionForAll(written);
    }

    /** Also for those that had no rows in the backup, which would be refused one after the other. */
    private String optionForAll(Set<String> written)
    {
        List<String> replaced = facts.entering().stream().filter(table -> written.contains(table.id) && !TableEntry.isUnited(table.name))
                                     .map(table -> table.name).collect(Collectors.toList());
        return replaced.size() < 2 ? "" : String.format("%nFor all tables whose folder has been replaced:%n    -D%s=%s%n",
                                                        TableEntry.SET_ASIDE, String.join(",", replaced));
    }

    private static String whyNotInto(UnreadFiles files, String storeDirectory)
    {
        try
        {
            return RestoreMark.isOf(files.folder, StoreIdentity.read(Path.of(storeDirectory)), manifest(files)) ? null : hasRows(files);
        }
        catch (IOException e)
        {
            return reason(e);
        }
    }

    /** @return why the node must not start, or null if the table has what was to be taken in */
    String take(TableMetadata metadata, Table table)
    {
        UnreadFiles files = wanted.remove(metadata.id.toString());
        try
        {
            if (files == null)
                removeMarks(metadata);
            else
                take(files, table);
            return null;
        }
        catch (EngineException | IOException e)
        {
            logger.error("What a restore has put into the folder of {} cannot be taken in", metadata, e);
            return files == null ? reason(e) : UnreadFilesRefusal.of(files, facts, reason(e));
        }
    }

    /** A crash has left the mark of files that had been taken in; others may come. */
    private static void removeMarks(TableMetadata metadata) throws IOException
    {
        for (String directory : DatabaseDescriptor.getNonLocalSystemKeyspacesDataFileLocations())
            RestoreMark.remove(Path.of(directory, metadata.keyspace, metadata.name + '-' + metadata.id.toHexString()));
    }

    private void take(UnreadFiles files, Table table) throws IOException
    {
        String storeId = StoreIdentity.readOrCreate(Path.of(table.store().directory()));
        if (!RestoreMark.isOf(files.folder, storeId, manifest(files)))
        {
            if (!table.stats().isPristine())
                throw new IOException(hasRows(files));
            RestoreMark.write(files.folder, storeId, manifest(files));
        }
        Path source = source(files);
        // without a file nothing has been taken in: the store notes before it takes files in that it is to have rows; of a
        // snapshot with increments a part may have been, and all may be again
        if (table.stats().liveSstFiles() == 0 || manifests(files).size() > 1)
        {
            logger.info("Reading the snapshot of {} in {}, which a restore has put there", table.name(), source);
            long rewritten = table.restore(source.toString());
            logger.info("{} has the rows of the snapshot in {}; {} bytes of them had to be rewritten", table.name(), source, rewritten);
        }
        Path target = moveAway(source, files.folder);
        RestoreMark.remove(files.folder);
        logger.info("The files that {} was restored from are in {} now. Compactions will make them cost space: nodetool clearsnapshot" +
                    " -t {} removes them", table.name(), target, target.getParent().getFileName());
    }

    /** From where they would be taken in again, to where nodetool lists and clears them. */
    private Path moveAway(Path source, Path tableDirectory) throws IOException
    {
        Path snapshots = tableDirectory.resolve("snapshots");
        Path snapshot = snapshots.resolve("restored-" + facts.inspectedMillis);
        Files.createDirectories(snapshot);
        Path target = Files.move(source, snapshot.resolve(SnapshotFiles.FOLDER), ATOMIC_MOVE);
        for (Path folder : List.of(snapshot, snapshots, tableDirectory))
            SyncedFolder.sync(folder);
        return target;
    }

    private static String hasRows(UnreadFiles files)
    {
        return String.format(HAS_ROWS, name(files));
    }

    private static String name(UnreadFiles files)
    {
        return files.keyspace() + '.' + files.table();
    }

    private static Path source(UnreadFiles files)
    {
        return files.places.get(0).folder;
    }

    private static List<String> manifests(UnreadFiles files)
    {
        return files.places.get(0).manifests;
    }

    /** What names this restore: the name of the manifest, which no other has, or a digest of several. */
    private static String manifest(UnreadFiles files)
    {
        List<String> names = manifests(files);
        byte[] all = String.join(" ", names).getBytes(StandardCharsets.UTF_8);
        return names.size() == 1 ? names.get(0) : names.size() + "-" + UUID.nameUUIDFromBytes(all);
    }

    private static String reason(Exception e)
    {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
