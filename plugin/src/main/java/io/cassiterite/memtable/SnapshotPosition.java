/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.commitlog.CommitLog;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.node.LabelFile;

/**
 * The file beside the engine's part of a snapshot that says from where on the commit log has to be replayed onto it: the value
 * that commitlog_archiving.properties calls by the same name.
 */
final class SnapshotPosition
{
    static final String FILE_NAME = "cassiterite.commitlog";
    private static final String FORMAT = "cassiterite snapshot position 1";
    private static final String NAME = "snapshot_commitlog_position";

    private SnapshotPosition()
    {
    }

    /** Call this before the snapshot's view is taken: the view has all writes before the position. */
    static void writeIfLogged(TableMetadata table, Path snapshot)
    {
        if (!LoggedWrite.isOf(table))
            return;
        CommitLogPosition position = CommitLog.instance.getCurrentPosition();
        // a write takes its place in the log before it reaches the engine
        OpOrder.Barrier writes = Keyspace.writeOrder.newBarrier();
        writes.issue();
        writes.await();
        write(snapshot, position);
    }

    static void write(Path snapshot, CommitLogPosition position)
    {
        try
        {
            Files.createDirectories(snapshot);
            LabelFile.write(snapshot.resolve(FILE_NAME), FORMAT, Map.of(NAME, CommitLogPosition.serializer.toString(position)));
        }
        catch (IOException e)
        {
            throw new FSWriteError(e, snapshot.resolve(FILE_NAME).toString());
        }
    }
}
