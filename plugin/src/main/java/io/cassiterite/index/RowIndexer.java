/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.index.Index;

import io.cassiterite.engine.DirectOutput;
import io.cassiterite.memtable.IndexPartWriter;
import io.cassiterite.memtable.IndexedWrite;

/**
 * The indexes that a write has to give entries to. The memtable asks for them when it writes the rows, so that both come
 * in one batch; what Cassandra tells of rows otherwise is ignored. For one write.
 */
final class RowIndexer implements Index.Indexer, IndexedWrite
{
    private final List<EngineIndex> indexes;

    RowIndexer(List<EngineIndex> indexes)
    {
        this.indexes = indexes;
    }

    @Override
    public int indexes()
    {
        return indexes.size();
    }

    @Override
    public void putEntries(DirectOutput request, PartitionUpdate update, boolean isLogged)
    {
        for (EngineIndex index : indexes)
        {
            PartEntries part = new PartEntries(index, update.partitionKey(), isLogged, false);
            part.begin(request);
            if (!update.staticRow().isEmpty())
                part.add(update.staticRow());
            for (Row row : update)
                part.add(row);
            part.end();
        }
    }

    /** The entries of one index in a request, without repetitions. */
    static final class PartEntries implements IndexedColumn.Sink
    {
        private final IndexedColumn column;
        private final int number;
        private final IndexPartWriter writer;
        private final boolean mayExpire;
        private DecoratedKey key;
        private long ofPartition = LivenessInfo.NO_TIMESTAMP;

        /**
         * @param mayExpire false where a crash may lose the rows: an entry that expires would then hide an older one that
         *                  stays, of a row that stays
         * @param isRounding whether times are rounded, which makes entries smaller. What supersedes an entry with the time
         *                  that it was given does not remove it: so this is for rows that are there for some time already
         */
        PartEntries(EngineIndex index, DecoratedKey key, boolean mayExpire, boolean isRounding)
        {
            this.mayExpire = mayExpire;
            this.column = index.column();
            this.number = index.number();
            this.writer = new IndexPartWriter(column.keys, isRounding);
            this.key = key;
        }

        void begin(DirectOutput request)
        {
            writer.begin(request, number);
        }

        void add(Row row)
        {
            column.entries(key, row, this);
        }

        int end()
        {
            return writer.end();
        }

        private static LivenessInfo lasting(LivenessInfo liveness)
        {
            return LivenessInfo.withExpirationTime(liveness.timestamp(), LivenessInfo.NO_TTL, LivenessInfo.NO_EXPIRATION_TIME);
        }

        /** The rows that follow are of this partition. */
        void partition(DecoratedKey next)
        {
            key = next;
            ofPartition = LivenessInfo.NO_TIMESTAMP;
        }

        @Override
        public void entry(Clustering<?> value, Clustering<?> row, Clustering<?> path, LivenessInfo liveness)
        {
            // a component of the partition key is the same for each row
            if (column.column.isPartitionKey())
            {
                if (liveness.timestamp() <= ofPartition)
                    return;
                ofPartition = liveness.timestamp();
            }
            writer.put(value, key, row, path, mayExpire ? liveness : lasting(liveness));
        }
    }
}
