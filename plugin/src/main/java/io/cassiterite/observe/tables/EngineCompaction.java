/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.node.EngineControl;
import io.cassiterite.node.StoreReport;

/** A line of the engine's report of compactions: one that runs, or one of the latest that have ended. Immutable. */
public final class EngineCompaction
{
    /** Not that of Cassandra's own ids, which may be of the same microsecond. */
    private static final long NODE_OF_IDS = TimeUUID.Generator.nextTimeUUID().lsb() ^ 1;

    /** Of the engine; in the order of their beginnings. */
    final long number;
    final String keyspace;
    /** Of an index its name follows, as Cassandra has it of its own. */
    final String table;
    /** Keys and values to be read, before compression. */
    final long totalBytes;
    /** How many of them have been read. */
    final long doneBytes;
    /** Milliseconds since 1970; 0 while it runs. */
    final long endedMs;
    /** Bytes of the files that it has read; 0 while it runs. */
    final long inputBytes;
    /** Bytes of the files that it has written; 0 while it runs. */
    final long outputBytes;
    final int outputLevel;

    private final String baseTable;
    private final long beganMicros;

    private EngineCompaction(Map<String, String> row)
    {
        this.number = Long.parseLong(row.get("compaction_id"));
        this.keyspace = row.get("keyspace_name");
        this.baseTable = row.get("table_name");
        this.table = row.get("index_name").isEmpty() ? baseTable : baseTable + '.' + row.get("index_name");
        this.totalBytes = Long.parseLong(row.get("total_bytes"));
        this.doneBytes = Long.parseLong(row.get("done_bytes"));
        this.endedMs = Long.parseLong(row.get("ended_ms"));
        this.inputBytes = Long.parseLong(row.get("input_bytes"));
        this.outputBytes = Long.parseLong(row.get("output_bytes"));
        this.outputLevel = Integer.parseInt(row.get("output_level"));
        this.beganMicros = Long.parseLong(row.get("began_us"));
    }

    /** All that the engine knows: those that have ended in the order of their ends, then those that run. */
    public static List<EngineCompaction> all(EngineControl engine)
    {
        return all(engine.report("compactions"));
    }

    static List<EngineCompaction> all(String report)
    {
        return StoreReport.parse(report).rows.stream().map(EngineCompaction::new).collect(Collectors.toList());
    }

    public boolean isRunning()
    {
        return endedMs == 0;
    }

    /** The same in each report of this run of the node. */
    public TimeUUID id()
    {
        return TimeUUID.atUnixMicrosWithLsb(beganMicros, NODE_OF_IDS);
    }

    /** As Cassandra shows a compaction to nodetool. The total of compressed bytes is left out: RocksDB does not tell it. */
    public Map<String, String> asMap(String directory)
    {
        Map<String, String> map = new HashMap<>();
        map.put(CompactionInfo.ID, tableId());
        map.put(CompactionInfo.KEYSPACE, keyspace);
        map.put(CompactionInfo.COLUMNFAMILY, table);
        map.put(CompactionInfo.COMPLETED, Long.toString(doneBytes));
        map.put(CompactionInfo.TOTAL, Long.toString(totalBytes));
        map.put(CompactionInfo.TASK_TYPE, OperationType.COMPACTION.toString());
        map.put(CompactionInfo.UNIT, CompactionInfo.Unit.BYTES.toString());
        map.put(CompactionInfo.COMPACTION_ID, id().toString());
        map.put(CompactionInfo.SSTABLES, "");
        map.put(CompactionInfo.TARGET_DIRECTORY, directory);
        return map;
    }

    /** One line, like Cassandra's of its own. */
    public String summary()
    {
        return String.format("%s(%s, %s / %s %s)@%s(%s, %s)", OperationType.COMPACTION, id(), doneBytes, totalBytes,
                             CompactionInfo.Unit.BYTES, tableId(), keyspace, table);
    }

    private String tableId()
    {
        TableMetadata metadata = Schema.instance.getTableMetadata(keyspace, baseTable);
        return metadata == null ? "" : metadata.id.toString();
    }
}
