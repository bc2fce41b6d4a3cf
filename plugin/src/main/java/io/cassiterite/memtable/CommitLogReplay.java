/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.db.commitlog.CommitLogDescriptor;
import org.apache.cassandra.db.commitlog.CommitLogReplayer;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.concurrent.Future;
import org.apache.cassandra.utils.concurrent.ImmediateFuture;

import io.cassiterite.engine.Store;
import io.cassiterite.node.CommitLogArchiving;
import io.cassiterite.node.StartRefusal;

/**
 * What of the commit log a replay brings into engine tables: the writes that the node took without the plug-in, or before a table
 * entered, and not those that the engine has ({@link LoggedSegments}). A restore to a point in time, or from a position, brings
 * everything: it asks for that. Cassandra calls it for each mutation of the log, on the thread of the replay.
 */
public final class CommitLogReplay extends CommitLogReplayer.MutationInitiator
{
    private static final Logger logger = LoggerFactory.getLogger(CommitLogReplay.class);

    private static volatile LoggedSegments segments;

    private final LoggedSegments logged;

    private CommitLogReplay(LoggedSegments logged)
    {
        this.logged = logged;
    }

    /** Once, when the store is open, and before Cassandra replays. */
    public static synchronized void install(Store store)
    {
        if (segments != null)
            return;
        segments = read(Path.of(store.directory()));
        if (CommitLogArchiving.isRestore())
            logger.info("The commit log is replayed into engine tables as into others, for commitlog_archiving.properties asks for a"
                        + " restore. Empty its settings when it is done: the next start would replay again");
        else
            CommitLogReplayer.mutationInitiator = new CommitLogReplay(segments);
    }

    private static LoggedSegments read(Path directory)
    {
        try
        {
            return LoggedSegments.read(directory, CommitLogReplay::present, CommitLogReplay::openTables);
        }
        catch (IOException e)
        {
            throw StartRefusal.of("it cannot be told which segments of the commit log have writes that the engine has, too: "
                                  + e.getMessage() + ". Replace the node, or delete the file: rows that were deleted may come back", e);
        }
    }

    private static Collection<Long> present()
    {
        File[] files = new File(DatabaseDescriptor.getCommitLogLocation()).tryList();
        List<Long> ids = new ArrayList<>();
        for (File file : files == null ? new File[0] : files)
            if (CommitLogDescriptor.isValid(file.name()))
                ids.add(CommitLogDescriptor.fromFileName(file.name()).id);
        return ids;
    }

    private static Collection<TableId> openTables()
    {
        return EngineTables.all().stream().map(memtable -> memtable.metadata().id).collect(Collectors.toList());
    }

    /** As {@link LoggedSegments#note}; nothing where there is no node. */
    static void note(TableId table, long segment)
    {
        LoggedSegments present = segments;
        if (present != null)
            present.note(table, segment);
    }

    @Override
    protected Future<Integer> initiateMutation(Mutation mutation, long segmentId, int serializedSize, int entryLocation,
                                               CommitLogReplayer replayer)
    {
        Set<TableId> had = new HashSet<>();
        for (TableId table : mutation.getTableIds())
            if (logged.has(table, segmentId))
                had.add(table);
        if (had.size() == mutation.getTableIds().size())
            return ImmediateFuture.success(serializedSize);
        return super.initiateMutation(had.isEmpty() ? mutation : mutation.without(had), segmentId, serializedSize, entryLocation, replayer);
    }
}
