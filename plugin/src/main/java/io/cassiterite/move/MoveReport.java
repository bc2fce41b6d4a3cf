/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.Set;
import java.util.StringJoiner;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.node.Direction;
import io.cassiterite.node.Directions;

/** The engine tables that have sstables beside the engine or are to leave it, and which way their rows move. */
public final class MoveReport
{
    private static final String COLUMNS = "keyspace_name\ttable_name\tdirection\tsstables\tsstable_bytes\tengine_bytes\tleft_bytes"
                                          + "\tbytes_per_second\tseconds_left\twaits_for\tlast_error";

    private MoveReport()
    {
    }

    /** Lines of tab-separated values, the first names the columns. */
    public static String of()
    {
        StringJoiner lines = new StringJoiner("\n");
        lines.add(COLUMNS);
        for (CassiteriteMemtable memtable : EngineTables.all())
        {
            ColumnFamilyStore cfs = memtable.cfs();
            if (cfs == null || cfs.getTracker() == null) // a memtable is there before its table has a tracker, in the table's constructor
                continue;
            Set<SSTableReader> sstables = cfs.getLiveSSTables();
            if (!sstables.isEmpty() || Directions.of(cfs.metadata.id) != Direction.IN)
                lines.add(line(cfs, sstables, engineBytes(memtable)));
        }
        return lines.toString();
    }

    private static String line(ColumnFamilyStore cfs, Set<SSTableReader> sstables, long engineBytes)
    {
        long bytes = sstables.stream().mapToLong(SSTableReader::onDiskLength).sum();
        Direction direction = Directions.of(cfs.metadata.id);
        MoveStatus known = Mover.instance.status(cfs.metadata.id);
        MoveStatus status = known == null ? new MoveStatus() : known;
        long left = Math.max(0, (direction == Direction.OUT ? engineBytes : bytes) - status.movedBytes());
        long rate = status.bytesPerSecond();
        return String.join("\t", cfs.getKeyspaceName(), cfs.name, direction.text(), Integer.toString(sstables.size()),
                           Long.toString(bytes), Long.toString(engineBytes), Long.toString(left), Long.toString(rate),
                           rate == 0 ? "" : Long.toString(left / rate), status.waitsFor(), status.lastError());
    }

    private static long engineBytes(CassiteriteMemtable memtable)
    {
        Table table = memtable.table();
        try
        {
            return table == null ? 0 : SstableWriting.bytes(table.stats());
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.CLOSED)
                return 0; // the node has been drained
            throw e;
        }
    }
}
