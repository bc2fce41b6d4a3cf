/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.exceptions.QueryCancelledException;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.IndexNotAvailableException;

import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;

/** One query by indexes on one replica: finds rows by their entries, and reads them from the table. */
final class IndexSearcher implements Index.Searcher
{
    private final ReadCommand command;
    private final Map<Index, Asked> indexes;
    private final RowFilter filter;

    IndexSearcher(ReadCommand command, Map<Index, Asked> indexes, RowFilter filter)
    {
        this.filter = filter;
        this.command = command;
        this.indexes = indexes;
    }

    @Override
    public ReadCommand command()
    {
        return command;
    }

    /** The coordinator's filter over what the replicas have found. */
    @Override
    public PartitionIterator filterReplicaFilteringProtection(PartitionIterator found)
    {
        return filter.filter(found, command.metadata(), command.nowInSec());
    }

    @Override
    public UnfilteredPartitionIterator search(ReadExecutionController controller)
    {
        ColumnFamilyStore cfs = Keyspace.openAndGetStore(command.metadata());
        Memtable current = cfs.getTracker().getView().getCurrentMemtable();
        if (!(current instanceof CassiteriteMemtable) || ((CassiteriteMemtable) current).table() == null)
            throw new IndexNotAvailableException(indexes.keySet().iterator().next());
        CassiteriteMemtable memtable = (CassiteriteMemtable) current;
        List<EntrySource> sources = new ArrayList<>(indexes.size());
        boolean opened = false;
        try
        {
            for (Map.Entry<Index, Asked> chosen : indexes.entrySet())
                open(memtable, (EngineIndex) chosen.getKey(), chosen.getValue(), sources);
            UnfilteredPartitionIterator found = sources.isEmpty() ? RowScan.of(cfs, command, controller)
                                                                  : new FoundPartitions(cfs, command, controller, new Hits(sources),
                                                                                        new StaleEntries(memtable));
            opened = true;
            return found;
        }
        finally
        {
            if (!opened)
                sources.forEach(EntrySource::close);
        }
    }

    /** Adds no source where the index would find too much: the filter of the query has to do. */
    private void open(CassiteriteMemtable memtable, EngineIndex index, Asked asked, List<EntrySource> sources)
    {
        if (!index.isUpToDate(memtable.table()))
            throw new IndexNotAvailableException(index);
        Table table = memtable.indexTable(index.name());
        ClusteringComparator comparator = command.metadata().comparator;
        List<byte[]> slices = SearchedSlices.of(command, index.column());
        Set<Clustering<?>> values = asked.values();
        for (Clustering<?> value : values)
            sources.add(new EntryCursor(index, table, value, comparator, slices, command.nowInSec(), this::check));
        if (!values.isEmpty())
            return;
        EntrySource gathered = GatheredEntries.of(index, table, asked.range(), comparator, slices, command.nowInSec(), this::check);
        if (gathered != null)
            sources.add(gathered);
    }

    private void check()
    {
        if (command.isAborted())
            throw new QueryCancelledException(command);
    }
}
