/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.google.common.collect.Iterables;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.concurrent.ExecutorLocals;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.repair.RepairCoordinator;
import org.apache.cassandra.repair.messages.RepairOption;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.utils.progress.ProgressEvent;
import org.apache.cassandra.utils.progress.ProgressEventType;
import org.apache.cassandra.utils.progress.ProgressListener;
import org.apache.cassandra.utils.progress.jmx.JMXProgressSupport;

import io.cassiterite.observe.EngineTableFinder;
import io.cassiterite.reflect.PrivateMember;
import io.cassiterite.repair.EngineRepair;
import io.cassiterite.repair.SkippedRepair;

/**
 * Repairs that include engine tables and rely on rows that are marked repaired, which rows in the engine never are. An
 * incremental repair repairs the engine tables in full, under the same command. A validation leaves them out.
 */
final class RepairVerb
{
    private static final Logger logger = LoggerFactory.getLogger(RepairVerb.class);

    private static final Set<ProgressEventType> ENDS = EnumSet.of(ProgressEventType.SUCCESS, ProgressEventType.ERROR);

    private RepairVerb()
    {
    }

    /**
     * @param tables  the engine tables that the repair would include
     * @param options of the repair, as nodetool sends them
     * @return the number of the command, 0 if there is nothing to repair, or null if Cassandra itself can do it
     * @throws UnsupportedOperationException if engine tables are named that cannot be part of it
     */
    static Integer start(String keyspace, List<ColumnFamilyStore> tables, Map<String, String> options)
    {
        if (tables.isEmpty() || Keyspace.open(keyspace).getReplicationStrategy().getReplicationFactor().allReplicas < 2)
            return null;
        RepairOption asked = RepairOption.parse(options, StorageService.instance.getTokenMetadata().partitioner);
        if (asked.getPreviewKind() == PreviewKind.REPAIRED)
            return validate(keyspace, tables, options);
        return asked.isIncremental() && !asked.isPreview() ? repair(keyspace, tables, asked) : null;
    }

    private static int repair(String keyspace, List<ColumnFamilyStore> tables, RepairOption asked)
    {
        checkDataCenters(asked);
        addRanges(keyspace, asked);
        if (asked.getRanges().isEmpty())
            return 0;
        List<String> engineTables = new ArrayList<>();
        tables.forEach(cfs -> engineTables.add(cfs.name));
        List<String> others = asked.getColumnFamilies().isEmpty() ? EngineTableFinder.others(keyspace)
                                                                  : new ArrayList<>(asked.getColumnFamilies());
        others.removeAll(engineTables);

        int command = PrivateMember.nextRepairCommand();
        RepairOption inFull = EngineRepair.part(asked, false, engineTables);
        EngineRepair repair = others.isEmpty()
                              ? EngineRepair.alone(command, keyspace, inFull)
                              : EngineRepair.after(stock(command, keyspace, EngineRepair.part(asked, true, others)), inFull, true);
        repair.addProgressListener(new JMXProgressSupport(StorageService.instance));
        ActiveRepairService.repairCommandExecutor().submit(() -> run(repair));
        return command;
    }

    private static RepairCoordinator stock(int command, String keyspace, RepairOption options)
    {
        return new RepairCoordinator(StorageService.instance, command, options, keyspace);
    }

    private static void run(RepairCoordinator repair)
    {
        try
        {
            repair.run();
        }
        finally
        {
            ExecutorLocals.clear(); // a traced repair leaves its trace on the thread
        }
    }

    private static void checkDataCenters(RepairOption asked)
    {
        if (asked.getDataCenters().isEmpty())
            return;
        String local = DatabaseDescriptor.getLocalDataCenter();
        if (!asked.getDataCenters().contains(local))
            throw new IllegalArgumentException("the repair must include the local data center " + local + ", not only " +
                                               asked.getDataCenters());
        Set<String> known = StorageService.instance.getTokenMetadata().cloneOnlyTokenMap().getTopology().getDatacenterEndpoints().keySet();
        if (!known.containsAll(asked.getDataCenters()))
            throw new IllegalArgumentException("data centers are " + known + ", not " + asked.getDataCenters());
    }

    /** Those that Cassandra repairs unless told which. */
    private static void addRanges(String keyspace, RepairOption asked)
    {
        if (!asked.getRanges().isEmpty())
            return;
        if (!asked.isPrimaryRange())
            Iterables.addAll(asked.getRanges(), StorageService.instance.getLocalReplicas(keyspace).onlyFull().ranges());
        else if (asked.isInLocalDCOnly())
            asked.getRanges().addAll(StorageService.instance.getPrimaryRangesWithinDC(keyspace));
        else // parsing the options has refused other data centers and hosts
            asked.getRanges().addAll(StorageService.instance.getPrimaryRanges(keyspace));
    }

    /** Compares what is marked repaired, and so would find engine tables in sync whatever they hold. */
    private static int validate(String keyspace, List<ColumnFamilyStore> tables, Map<String, String> options)
    {
        List<String> others = EngineTableFinder.others(keyspace);
        String reason = "--validate compares what is marked repaired, and rows in the engine never are";
        if (!options.getOrDefault(RepairOption.COLUMNFAMILIES_KEY, "").isEmpty())
        {
            String rest = String.format(", and for the other tables nodetool repair --validate %s %s", keyspace, String.join(" ", others));
            EngineVerbs.fail(String.format("%s: it cannot compare Cassiterite tables (%s). Use nodetool repair --preview --full %s %s%s",
                                           reason, EngineVerbs.names(tables), keyspace, EngineVerbs.tableNames(tables),
                                           others.isEmpty() ? "" : rest));
        }
        String line = String.format("Left out the Cassiterite tables (%s): %s", EngineVerbs.names(tables), reason);
        if (others.isEmpty())
            return skip(keyspace, line);
        Map<String, String> named = new HashMap<>(options);
        named.put(RepairOption.COLUMNFAMILIES_KEY, String.join(",", others));
        return StorageService.instance.repair(keyspace, named, List.of(sayAtEnd(line))).left;
    }

    /** nodetool hears of the command's end only after it has learnt the number. */
    private static int skip(String keyspace, String line)
    {
        SkippedRepair repair = new SkippedRepair(PrivateMember.nextRepairCommand(), keyspace, line);
        repair.addProgressListener(new JMXProgressSupport(StorageService.instance));
        ScheduledExecutors.nonPeriodicTasks.schedule(repair, 1, TimeUnit.SECONDS);
        return repair.state.cmd;
    }

    /** Once, before the event that ends it: nodetool misses what is said before it has learnt the command's number. */
    private static ProgressListener sayAtEnd(String line)
    {
        JMXProgressSupport jmx = new JMXProgressSupport(StorageService.instance);
        AtomicBoolean said = new AtomicBoolean();
        return (tag, event) ->
        {
            if (!ENDS.contains(event.getType()) || said.getAndSet(true))
                return;
            logger.info(line);
            jmx.progress(tag, ProgressEvent.createNotification(line));
        };
    }
}
