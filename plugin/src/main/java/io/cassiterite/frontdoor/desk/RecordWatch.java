/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import org.apache.cassandra.db.CassandraTableWriteHandler;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.WriteContext;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.schema.SchemaConstants;

import io.cassiterite.reflect.PrivateMember;

/**
 * Tells the door of each record of Paxos and of batches, and when it is safe: a row of the engine outlives kill -9 at once, and
 * must not do so without the records before it (danger D9; the memtable waits for them, the door passes such writes on). A record
 * is counted when Cassandra's commit log has it, and before anybody is told that it is complete. Thread-safe.
 */
final class RecordWatch
{
    private static final List<String> TABLES = List.of(SystemKeyspace.PAXOS, SystemKeyspace.BATCHES);
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final NativeWrites door;
    private volatile Runnable sync;
    private volatile DeskThread thread;
    private volatile Thread waiting;
    private long safe;

    RecordWatch(NativeWrites door)
    {
        this.door = door;
    }

    /** All records from here on are counted when this returns. @param recordSync makes those safe that are complete */
    synchronized void start(Runnable recordSync)
    {
        if (thread != null)
            return;
        sync = recordSync;
        setHandlers(Counting::new);
        // Those before are not counted: they are safe when this has run.
        recordSync.run();
        thread = new DeskThread("cassiterite-desk-records", "Making records of Paxos and batches safe before rows", this::round);
        thread.start();
    }

    synchronized void stop()
    {
        if (thread == null)
            return;
        thread.stop();
        thread = null;
        setHandlers(CassandraTableWriteHandler::new);
    }

    private static void setHandlers(Function<ColumnFamilyStore, CassandraTableWriteHandler> handler)
    {
        for (String table : TABLES)
        {
            ColumnFamilyStore cfs = Keyspace.open(SchemaConstants.SYSTEM_KEYSPACE_NAME).getColumnFamilyStore(table);
            PrivateMember.TABLE_WRITE_HANDLER.set(cfs, handler.apply(cfs));
        }
    }

    private void round()
    {
        long count = door.records();
        if (count == safe)
        {
            waiting = Thread.currentThread();
            if (door.records() == safe)
                LockSupport.parkNanos(this, WAIT_NANOS);
            waiting = null;
            return;
        }
        sync.run();
        door.recordsAreSafe(count);
        safe = count;
    }

    /** Cassandra's own, which counts. */
    private final class Counting extends CassandraTableWriteHandler
    {
        Counting(ColumnFamilyStore cfs)
        {
            super(cfs);
        }

        @Override
        public void write(PartitionUpdate update, WriteContext context, boolean updateIndexes)
        {
            door.addRecord();
            LockSupport.unpark(waiting);
            super.write(update, context, updateIndexes);
        }
    }
}
