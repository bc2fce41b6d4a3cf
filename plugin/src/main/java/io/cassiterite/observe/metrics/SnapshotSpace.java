/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.service.snapshot.TableSnapshot;

import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.RemoteFailure;

/**
 * What the engine's files in snapshots take on disk. They are links, which take nothing while the store has the same
 * file. Cassandra cannot count them: it compares files that are named like sstables with those in the table's folder.
 */
public final class SnapshotSpace
{
    private static final Logger logger = LoggerFactory.getLogger(SnapshotSpace.class);

    private static final String STORE_FILES = "db";

    /** Bytes of files that the store has no more. */
    public final long ownBytes;
    /** Bytes of files that the store still has. */
    public final long sharedBytes;

    private SnapshotSpace(long ownBytes, long sharedBytes)
    {
        this.ownBytes = ownBytes;
        this.sharedBytes = sharedBytes;
    }

    /** @return the bytes that only the snapshots of the table use; 0 while the store is not open */
    public static long ownBytes(ColumnFamilyStore cfs, EngineControl engine)
    {
        if (!engine.isOpen())
            return 0;
        return RemoteFailure.guard("measuring the snapshots of " + cfs.metadata(), () -> of(cfs, engine).ownBytes);
    }

    /** Of all snapshots of a table. */
    static SnapshotSpace of(ColumnFamilyStore cfs, EngineControl engine)
    {
        long own = 0;
        long shared = 0;
        for (TableSnapshot snapshot : cfs.listSnapshots().values())
        {
            SnapshotSpace space = of(snapshot, engine);
            own += space.ownBytes;
            shared += space.sharedBytes;
        }
        return new SnapshotSpace(own, shared);
    }

    public static SnapshotSpace of(TableSnapshot snapshot, EngineControl engine)
    {
        Tally tally = new Tally(engine.storeDirectory().toPath().resolve(STORE_FILES));
        for (File folder : snapshot.getDirectories())
            tally.add(folder.toPath());
        return tally.sum();
    }

    /** Counts the files in the engine's folders of snapshots. */
    static final class Tally extends SimpleFileVisitor<Path>
    {
        private final Path storeFiles;
        private Path snapshot;
        private long own;
        private long shared;

        Tally(Path storeFiles)
        {
            this.storeFiles = storeFiles;
        }

        void add(Path snapshot)
        {
            this.snapshot = snapshot;
            try
            {
                Files.walkFileTree(snapshot, this);
            }
            catch (IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }

        SnapshotSpace sum()
        {
            return new SnapshotSpace(own, shared);
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
        {
            // a TRUNCATE that had to save two generations leaves two
            Path folder = file.getParent();
            if (!snapshot.equals(folder.getParent()) || !SnapshotFiles.isFolder(folder.getFileName().toString()))
                return FileVisitResult.CONTINUE;
            if (isInStore(file, attributes))
                shared += attributes.size();
            else
                own += attributes.size();
            return FileVisitResult.CONTINUE;
        }

        private boolean isInStore(Path file, BasicFileAttributes attributes)
        {
            String stored = SnapshotFiles.nameInStore(file.getFileName().toString());
            if (stored == null)
                return false;
            try
            {
                return Files.readAttributes(storeFiles.resolve(stored), BasicFileAttributes.class).fileKey().equals(attributes.fileKey());
            }
            catch (IOException e)
            {
                return false; // nearly always because the file is not there
            }
        }

        /** Snapshots come and go, and one that cannot be read must not hide the others. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e)
        {
            if (!(e instanceof NoSuchFileException))
                logger.warn("{} cannot be measured", file, e);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, IOException e)
        {
            return e == null ? FileVisitResult.CONTINUE : visitFileFailed(folder, e);
        }
    }
}
