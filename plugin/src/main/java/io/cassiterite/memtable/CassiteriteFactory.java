/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.commitlog.CommitLogReplayer;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.schema.TableMetadataRef;

import io.cassiterite.node.CommitLogParameter;

/** Makes the memtables of one configuration in cassandra.yaml. Factories with equal parameters are equal. */
public final class CassiteriteFactory implements Memtable.Factory
{
    private static volatile Function<TableMetadataRef, TableMetrics.ReleasableMetric> metrics = table -> null;

    private final Map<String, String> parameters;
    private final boolean commitLog;

    /** @throws IllegalArgumentException if the value of {@link CommitLogParameter} is not possible */
    CassiteriteFactory(Map<String, String> parameters)
    {
        this.parameters = Map.copyOf(CommitLogParameter.without(parameters));
        this.commitLog = CommitLogParameter.isOn(parameters);
    }

    /** Sets the function that registers the engine metrics of each table created from now on. */
    public static void registerMetricsWith(Function<TableMetadataRef, TableMetrics.ReleasableMetric> register)
    {
        metrics = register;
    }

    /** The configuration's parameters of the store. */
    public Map<String, String> parameters()
    {
        return new HashMap<>(parameters);
    }

    @Override
    public Memtable create(AtomicReference<CommitLogPosition> commitLogLowerBound, TableMetadataRef metadata, Memtable.Owner owner)
    {
        return MemtableCreation.create(commitLogLowerBound, metadata, owner, this);
    }

    @Override
    public boolean writesShouldSkipCommitLog()
    {
        return !commitLog;
    }

    /**
     * False while the commit log is replayed: it has the writes that the node took without the plug-in, when the table
     * had a stock memtable. {@link CommitLogReplay} leaves out the engine's own.
     */
    @Override
    public boolean writesAreDurable()
    {
        return StackWalker.getInstance().walk(frames -> frames.noneMatch(CassiteriteFactory::replays));
    }

    private static boolean replays(StackWalker.StackFrame frame)
    {
        return frame.getClassName().equals(CommitLogReplayer.class.getName());
    }

    /** False: sstables of peers and loaders stay whole, beside the engine, until they move into it. */
    @Override
    public boolean streamToMemtable()
    {
        return false;
    }

    /** False: if it were true, each stream of Cassandra would leave an sstable behind for good. */
    @Override
    public boolean streamFromMemtable()
    {
        return false;
    }

    @Override
    public TableMetrics.ReleasableMetric createMemtableMetrics(TableMetadataRef metadata)
    {
        return metrics.apply(metadata);
    }

    /** Whether a table that gets the other factory keeps its memtable. */
    boolean isOfSameStore(Memtable.Factory other)
    {
        return other instanceof CassiteriteFactory && parameters.equals(((CassiteriteFactory) other).parameters);
    }

    @Override
    public boolean equals(Object other)
    {
        return other instanceof CassiteriteFactory && isOfSameStore((CassiteriteFactory) other)
               && commitLog == ((CassiteriteFactory) other).commitLog;
    }

    @Override
    public int hashCode()
    {
        return parameters.hashCode();
    }
}
