/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.Collection;
import java.util.HashSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.ReplicationParams;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.engine.BackgroundWork;

/**
 * Ends work that relies on a node's ranges when they change, or are about to. A cleanup may run for hours, and would
 * remove what the node has just come to own. Checks several times a second until it is closed.
 */
final class OwnershipWatch implements AutoCloseable
{
    private static final long INTERVAL_MS = 200;

    private final String keyspace;
    private final Collection<Range<Token>> owned;
    private final Runnable onChange;
    private final Future<?> checks;
    private long ringVersion = -1;
    private ReplicationParams replication;
    private volatile boolean changed;

    /** @param onChange called at each check once something has changed */
    OwnershipWatch(String keyspace, Collection<Range<Token>> owned, Runnable onChange)
    {
        this.keyspace = keyspace;
        this.owned = owned;
        this.onChange = onChange;
        this.checks = ScheduledExecutors.scheduledTasks.scheduleWithFixedDelay(this::check, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    private void check()
    {
        if (!changed && isKnownToBeTheSame())
            return;
        changed = true;
        onChange.run();
    }

    /** False also if the ranges cannot be computed, as after the keyspace was dropped. */
    private boolean isKnownToBeTheSame()
    {
        try
        {
            return !Ownership.isChanging(keyspace) && isTheSame();
        }
        catch (Exception | Error e)
        {
            BackgroundWork.failed("Computing the ranges of " + keyspace + " that this node owns failed: its cleanup ends", e);
            return false;
        }
    }

    /** Ranges are computed only when the ring or the replication has changed: with many vnodes it takes long. */
    private boolean isTheSame()
    {
        long version = StorageService.instance.getTokenMetadata().getRingVersion();
        ReplicationParams params = Schema.instance.getKeyspaceMetadata(keyspace).params.replication;
        if (version == ringVersion && params.equals(replication))
            return true;
        if (!new HashSet<>(Ownership.ranges(keyspace)).equals(new HashSet<>(owned)))
            return false;
        ringVersion = version;
        replication = params;
        return true;
    }

    boolean hasChanged()
    {
        return changed;
    }

    @Override
    public void close()
    {
        checks.cancel(false);
    }
}
