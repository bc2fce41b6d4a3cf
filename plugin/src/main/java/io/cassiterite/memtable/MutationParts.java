/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import io.netty.util.concurrent.FastThreadLocal;

import org.apache.cassandra.db.CassandraWriteContext;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.KeyspaceWriteHandler;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.db.WriteContext;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.partitions.PartitionUpdate;

import io.cassiterite.reflect.PrivateMember;

/**
 * Knows of the mutation that a thread applies whether stock tables have a part in it. A memtable sees its own part and the
 * mutation's position in the commit log, which it also has if engine tables alone are written there (danger M16). One for each
 * keyspace, in the place of Cassandra's handler, which does the work. Thread-safe.
 */
final class MutationParts implements KeyspaceWriteHandler
{
    private static final FastThreadLocal<MutationParts.Last> LAST = new FastThreadLocal<Last>()
    {
        @Override
        protected Last initialValue()
        {
            return new Last();
        }
    };

    private final KeyspaceWriteHandler handler;

    MutationParts(KeyspaceWriteHandler handler)
    {
        this.handler = handler;
    }

    /**
     * Whether a mutation of this thread may have a part for stock tables. True for one that began before the keyspace was
     * watched, which it is from then on.
     *
     * @param position of the mutation in the commit log
     */
    static boolean mayBeStock(Keyspace keyspace, CommitLogPosition position)
    {
        if (!(keyspace.getWriteHandler() instanceof MutationParts))
            watch(keyspace);
        Last last = LAST.get();
        return last.position != position || last.isStock;
    }

    private static synchronized void watch(Keyspace keyspace)
    {
        if (!(keyspace.getWriteHandler() instanceof MutationParts))
            PrivateMember.KEYSPACE_WRITES.set(keyspace, new MutationParts(keyspace.getWriteHandler()));
    }

    @Override
    public WriteContext beginWrite(Mutation mutation, boolean makeDurable)
    {
        WriteContext context = handler.beginWrite(mutation, makeDurable);
        Last last = LAST.get();
        last.position = ((CassandraWriteContext) context).getPosition();
        last.isStock = last.position != null && isStock(mutation);
        return context;
    }

    private static boolean isStock(Mutation mutation)
    {
        for (PartitionUpdate update : mutation.getPartitionUpdates())
            if (!(update.metadata().params.memtable.factory() instanceof CassiteriteFactory))
                return true;
        return false;
    }

    @Override
    public WriteContext createContextForIndexing()
    {
        return handler.createContextForIndexing();
    }

    @Override
    public WriteContext createContextForRead()
    {
        return handler.createContextForRead();
    }

    /** The mutation that the thread has begun last. */
    private static final class Last
    {
        private CommitLogPosition position;
        private boolean isStock;
    }
}
