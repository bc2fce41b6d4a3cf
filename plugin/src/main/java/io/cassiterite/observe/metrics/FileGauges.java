/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.Objects;
import java.util.concurrent.TimeUnit;

import com.codahale.metrics.Counter;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.metrics.TableMetrics;

import io.cassiterite.engine.TableFiles;
import io.cassiterite.node.EngineControl;

/**
 * What the files of an engine table add to Cassandra's metrics of its sstables, which may lie beside the engine. Read anew
 * when it is asked for and ten seconds old: the engine looks at each file. Safe from any thread.
 */
final class FileGauges
{
    private static final long LIFE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final double ALL_PERCENT = 100;
    /** Cassandra's name of the metric. */
    static final String FILTER_BYTES = "BloomFilterDiskSpaceUsed";

    private final ColumnFamilyStore cfs;
    private final TableMetrics stock;
    private final EngineControl engine;
    private TableFiles known;
    private long readAtNanos;

    FileGauges(ColumnFamilyStore cfs, EngineControl engine)
    {
        this.cfs = cfs;
        this.stock = cfs.metric;
        this.engine = engine;
    }

    /** @return null where the table has no files in the engine */
    private synchronized TableFiles files()
    {
        if (!engine.isOpen())
            return null;
        if (known == null || System.nanoTime() - readAtNanos > LIFE_NANOS)
        {
            known = engine.files(cfs.metadata());
            readAtNanos = System.nanoTime();
        }
        return known == null || known.dataBytes() == 0 ? null : known;
    }

    private long dataBytes()
    {
        TableFiles files = files();
        return files == null ? 0 : files.dataBytes();
    }

    long filterBytes()
    {
        long inSstables = stock.formatSpecificGauges.values().stream().map(gauges -> gauges.get(FILTER_BYTES)).filter(Objects::nonNull)
                                                    .mapToLong(gauge -> gauge.getValue().longValue()).sum();
        TableFiles files = files();
        return inSstables + (files == null ? 0 : files.filterBytes());
    }

    /** Bytes of files for each of keys and values; Cassandra's, of sstables, where the engine has no files. */
    double compressionRatio()
    {
        TableFiles files = files();
        return files == null ? stock.compressionRatio.getValue() : (double) files.bytes() / files.dataBytes();
    }

    long unrepairedBytes()
    {
        return stock.bytesUnrepaired.getValue() + dataBytes();
    }

    /** As Cassandra has it, 100 for a table without data. */
    double percentRepaired()
    {
        long repaired = stock.bytesRepaired.getValue();
        long total = repaired + stock.bytesPendingRepair.getValue() + unrepairedBytes();
        return total == 0 ? ALL_PERCENT : ALL_PERCENT * repaired / total;
    }

    Counter uncompressedBytes()
    {
        return new Counter()
        {
            @Override
            public long getCount()
            {
                return stock.uncompressedLiveDiskSpaceUsed.getCount() + dataBytes();
            }
        };
    }
}
