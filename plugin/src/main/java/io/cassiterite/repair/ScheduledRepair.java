/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.repair.RepairCoordinator;
import org.apache.cassandra.repair.autorepair.AutoRepairConfig;
import org.apache.cassandra.repair.autorepair.AutoRepairConfig.RepairType;
import org.apache.cassandra.repair.autorepair.AutoRepairState;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.node.EngineTable;
import io.cassiterite.reflect.PrivateMember;

/**
 * A schedule of repairs that need rows marked repaired. Stock tables are repaired as scheduled; engine tables in full
 * where others are repaired incrementally, and not at all where others are validated.
 */
final class ScheduledRepair extends AutoRepairState
{
    private final AutoRepairState stock;
    private final AutoRepairState full;

    /** @param stock what Cassandra has for the type, and {@code full} for full repairs */
    ScheduledRepair(RepairType type, AutoRepairConfig config, AutoRepairState stock, AutoRepairState full)
    {
        super(type, config);
        this.stock = stock;
        this.full = full;
    }

    @Override
    public RepairCoordinator getRepairRunnable(String keyspace, List<String> tables, Set<Range<Token>> ranges, boolean primaryRangeOnly)
    {
        List<String> engineTables = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String table : tables)
            (isEngineTable(keyspace, table) ? engineTables : others).add(table);
        if (engineTables.isEmpty())
            return stock.getRepairRunnable(keyspace, tables, ranges, primaryRangeOnly);
        if (repairType == RepairType.INCREMENTAL)
            return repair(keyspace, engineTables, others, ranges, primaryRangeOnly);
        if (!others.isEmpty())
        {
            logger.info(leftOut(keyspace, engineTables));
            return stock.getRepairRunnable(keyspace, others, ranges, primaryRangeOnly);
        }
        return new SkippedRepair(PrivateMember.nextRepairCommand(), keyspace, leftOut(keyspace, engineTables));
    }

    private static String leftOut(String keyspace, List<String> engineTables)
    {
        return "Scheduled validation of repaired data leaves out the Cassiterite tables " + engineTables + " of " + keyspace +
               ": rows in the engine are never marked repaired";
    }

    private RepairCoordinator repair(String keyspace, List<String> engineTables, List<String> others, Set<Range<Token>> ranges,
                                     boolean primaryRangeOnly)
    {
        if (!others.isEmpty())
        {
            RepairCoordinator first = stock.getRepairRunnable(keyspace, others, ranges, primaryRangeOnly);
            if (!first.state.options.getColumnFamilies().isEmpty()) // Cassandra leaves some tables out, and no name stands for all
                return EngineRepair.after(first, EngineRepair.part(first.state.options, false, engineTables), false);
        }
        logger.info(EngineRepair.explanation(keyspace, engineTables));
        return full.getRepairRunnable(keyspace, engineTables, ranges, primaryRangeOnly);
    }

    private static boolean isEngineTable(String keyspace, String table)
    {
        TableMetadata metadata = Schema.instance.getTableMetadata(keyspace, table);
        return metadata != null && EngineTable.is(metadata);
    }
}
