/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.JsonUtils;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.node.SyncedFolder;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * Adds the engine's files to {@code manifest.json}, in which Cassandra lists the files of a snapshot for programs that
 * copy it. Cassandra writes it after the engine has taken its part, or before ({@code --skip-flush}). Thread-safe.
 */
public final class SnapshotLists
{
    private static final Logger logger = LoggerFactory.getLogger(SnapshotLists.class);

    private static final String FILES = "files";
    /** If Cassandra fails to write its list, it never comes; and one that cannot be read may never be mended. */
    private static final long WAIT_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final Queue<Expected> EXPECTED = new ConcurrentLinkedQueue<>();

    private SnapshotLists()
    {
    }

    /** The engine's folder in a snapshot of a table; its parent is made if it is missing. */
    static File folder(ColumnFamilyStore cfs, String snapshotName)
    {
        File tableDirectory = cfs.getDirectories().getCFDirectories().get(0);
        return new File(Directories.getSnapshotDirectory(tableDirectory, snapshotName), SnapshotFiles.FOLDER);
    }

    /**
     * Takes the engine's part of a snapshot. The list is to have its files as soon as there is one; until then the snapshot is
     * under way.
     */
    static void taking(ColumnFamilyStore cfs, String tag, File engineFolder, Runnable part)
    {
        List<Path> lists = new ArrayList<>();
        for (File folder : cfs.getDirectories().getCFDirectories())
            lists.add(Directories.getSnapshotManifestFile(new File(folder, Directories.SNAPSHOT_SUBDIR + '/' + tag)).toPath());
        taking(cfs.metadata.id, tag, engineFolder.parent().toPath(), lists, Clock.Global.nanoTime() + WAIT_NANOS, part);
    }

    static void taking(TableId table, String tag, Path snapshot, List<Path> lists, long untilNanos, Runnable part)
    {
        Expected expected = new Expected(table, tag, snapshot, lists, untilNanos);
        EXPECTED.add(expected);
        try
        {
            part.run();
            expected.isTaken = true;
        }
        finally
        {
            if (!expected.isTaken)
                EXPECTED.remove(expected);
        }
    }

    /** True while a snapshot of the table that began before this time may have the engine's part alone. */
    public static boolean isAnyUnderWay(TableId table, long beforeNanos)
    {
        return EXPECTED.stream().anyMatch(expected -> expected.table.equals(table) && expected.begunNanos - beforeNanos < 0);
    }

    static boolean isExpected(String tag)
    {
        return EXPECTED.stream().anyMatch(expected -> expected.tag.equals(tag));
    }

    /**
     * Completes the lists of the snapshots of this name, which Cassandra has written.
     *
     * @throws UncheckedIOException if a list cannot be read or written; the files of the snapshot are there
     */
    public static void complete(String tag)
    {
        Throwable failure = null;
        for (Expected expected : EXPECTED)
            if (expected.tag.equals(tag))
                failure = Throwables.perform(failure, () -> complete(expected));
        Throwables.maybeFail(failure);
    }

    /**
     * Completes the lists of snapshots that the node takes itself. Those that are not there yet, or cannot be read or
     * written, wait for the next call, and hold up no other.
     */
    public static void completeAll()
    {
        for (Expected expected : EXPECTED)
        {
            try
            {
                complete(expected);
            }
            catch (RuntimeException e)
            {
                // Cassandra may be writing it
                logger.debug("A list of the snapshot {} cannot be completed yet", expected.tag, e);
                if (expected.isOverdue() && EXPECTED.remove(expected))
                    logger.warn("manifest.json in {} lacks the engine's files, which are in the folder beside it: copy the folder",
                                expected.snapshot, e);
            }
        }
    }

    private static void complete(Expected expected)
    {
        synchronized (expected)
        {
            try
            {
                if (expected.isDone || expected.complete())
                {
                    expected.isDone = true;
                    EXPECTED.remove(expected);
                }
            }
            catch (NoSuchFileException e)
            {
                EXPECTED.remove(expected); // cleared meanwhile
            }
            catch (IOException e)
            {
                throw new UncheckedIOException("Adding the engine's files to the list of the snapshot " + expected.tag, e);
            }
        }
    }

    /** The engine's part of a snapshot whose list has yet to be completed. */
    private static final class Expected
    {
        private final TableId table;
        private final String tag;
        private final Path snapshot;
        private final List<Path> lists;
        private final long begunNanos = Clock.Global.nanoTime();
        private final long untilNanos;
        private volatile boolean isTaken;
        private boolean isDone;

        private Expected(TableId table, String tag, Path snapshot, List<Path> lists, long untilNanos)
        {
            this.table = table;
            this.untilNanos = untilNanos;
            this.tag = tag;
            this.snapshot = snapshot;
            this.lists = lists;
        }

        private boolean isOverdue()
        {
            return Clock.Global.nanoTime() - untilNanos > 0;
        }

        /** @return false if there is no list yet */
        private boolean complete() throws IOException
        {
            if (!isTaken)
                return false;
            if (!Files.isDirectory(snapshot))
                return true; // cleared meanwhile
            for (Path list : lists)
                if (Files.exists(list))
                {
                    add(snapshot, list);
                    return true;
                }
            return isOverdue();
        }
    }

    /** Adds the engine's files in a snapshot's folder to a list, durably; nobody sees half a list. */
    static void add(Path snapshot, Path list) throws IOException
    {
        Map<String, Object> content = JsonUtils.fromJsonMap(Files.readAllBytes(list));
        Set<Object> files = new LinkedHashSet<>();
        if (content.get(FILES) instanceof List)
            files.addAll((List<?>) content.get(FILES));
        if (files.addAll(engineFiles(snapshot)))
        {
            content.put(FILES, files);
            replace(list, JsonUtils.JSON_OBJECT_PRETTY_WRITER.writeValueAsBytes(content));
        }
    }

    static void replace(Path list, byte[] content) throws IOException
    {
        Path replacement = list.resolveSibling(list.getFileName() + ".new");
        try
        {
            try (FileChannel channel = FileChannel.open(replacement, CREATE, WRITE, TRUNCATE_EXISTING))
            {
                for (ByteBuffer bytes = ByteBuffer.wrap(content); bytes.hasRemaining(); )
                    channel.write(bytes);
                channel.force(true);
            }
            if (!Files.exists(list))
                throw new NoSuchFileException(list.toString()); // cleared meanwhile: it must not come back
            Files.move(replacement, list, ATOMIC_MOVE, REPLACE_EXISTING);
        }
        finally
        {
            Files.deleteIfExists(replacement);
        }
        SyncedFolder.sync(list.getParent());
    }

    /** @return paths relative to the snapshot's folder */
    private static List<String> engineFiles(Path snapshot) throws IOException
    {
        try (Stream<Path> files = Files.walk(snapshot, 2))
        {
            return files.filter(file -> file.getParent().getParent().equals(snapshot)
                                        && SnapshotFiles.isFolder(file.getParent().getFileName().toString())
                                        && SnapshotFiles.isFile(file.getFileName().toString())
                                        || file.equals(snapshot.resolve(SnapshotPosition.FILE_NAME)))
                        .map(file -> snapshot.relativize(file).toString()).sorted().collect(Collectors.toList());
        }
        catch (UncheckedIOException e)
        {
            throw e.getCause();
        }
    }
}
