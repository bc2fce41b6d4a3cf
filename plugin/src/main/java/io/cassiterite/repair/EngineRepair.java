/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.cassandra.dht.Token;
import org.apache.cassandra.repair.RepairCoordinator;
import org.apache.cassandra.repair.messages.RepairOption;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.service.ActiveRepairService.ParentRepairStatus;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.Pair;
import org.apache.cassandra.utils.progress.ProgressEvent;
import org.apache.cassandra.utils.progress.ProgressEventType;

import static org.apache.cassandra.concurrent.ExecutorFactory.Global.executorFactory;

/**
 * A full repair of engine tables. It may follow a repair of stock tables under the same command, which then has one
 * progress and one result: the progress of both, and a failure if either failed. Runs once.
 */
public final class EngineRepair extends RepairCoordinator
{
    /** Null if the command is for engine tables only. */
    private final RepairCoordinator others;
    /** Whether engine tables are repaired although the others have failed. */
    private final boolean goesOn;
    /** Why the others failed, or null. */
    private volatile List<String> failure;

    private EngineRepair(int command, String keyspace, RepairOption options, RepairCoordinator others, boolean goesOn)
    {
        super(StorageService.instance, command, options, keyspace);
        this.others = others;
        this.goesOn = goesOn;
        if (others != null)
            others.addProgressListener((tag, event) -> onOthers(event));
    }

    /** @param options name the engine tables */
    public static EngineRepair alone(int command, String keyspace, RepairOption options)
    {
        return new EngineRepair(command, keyspace, options, null, true);
    }

    /**
     * @param others  repairs the stock tables first; not run yet
     * @param options name the engine tables
     * @param goesOn  whether engine tables are repaired although the others have failed
     */
    public static EngineRepair after(RepairCoordinator others, RepairOption options, boolean goesOn)
    {
        return new EngineRepair(others.state.cmd, others.state.keyspace, options, others, goesOn);
    }

    /** The options of a repair's part: these tables only, incrementally or in full. */
    public static RepairOption part(RepairOption whole, boolean isIncremental, Collection<String> tables)
    {
        Map<String, String> options = whole.asMap();
        options.put(RepairOption.INCREMENTAL_KEY, Boolean.toString(isIncremental));
        options.put(RepairOption.COLUMNFAMILIES_KEY, String.join(",", tables));
        options.put(RepairOption.IGNORE_UNREPLICATED_KS, Boolean.toString(whole.ignoreUnreplicatedKeyspaces()));
        Token.TokenFactory tokens = StorageService.instance.getTokenFactory();
        String ranges = whole.getRanges().stream()
                             .map(range -> tokens.toString(range.left) + ':' + tokens.toString(range.right))
                             .collect(Collectors.joining(","));
        options.put(RepairOption.RANGES_KEY, whole.isSubrangeRepair() ? ranges : "");
        RepairOption part = RepairOption.parse(options, StorageService.instance.getTokenMetadata().partitioner);
        if (!whole.isSubrangeRepair())
            part.getRanges().addAll(whole.getRanges());
        return part;
    }

    @Override
    public void run()
    {
        if (others == null)
            super.run();
        else
            others.run();
    }

    /** On the threads of the others' repair. */
    private void onOthers(ProgressEvent event)
    {
        if (event.getType() == ProgressEventType.COMPLETE)
            othersEnded(event);
        else if (event.getType() != ProgressEventType.SUCCESS)
            super.fireProgressEvent(event);
    }

    private void othersEnded(ProgressEvent event)
    {
        try
        {
            Pair<ParentRepairStatus, List<String>> status = ActiveRepairService.instance().getRepairStatus(state.cmd);
            List<String> messages = status == null ? List.of(event.getMessage()) : status.right;
            if (status == null || status.left != ParentRepairStatus.COMPLETED)
                failure = messages;
            if (failure != null && !goesOn)
            {
                super.fireProgressEvent(event);
                return;
            }
            ActiveRepairService.instance().recordRepairStatus(state.cmd, ParentRepairStatus.IN_PROGRESS, List.of());
            notification("Stock tables of " + state.keyspace + ": " + messages.get(0));
            // the thread may be one of the others' repair, which ends
            executorFactory().startThread("Repair-Engine-" + state.cmd, super::run);
        }
        catch (Throwable e) // without the last event nodetool would wait for ever
        {
            notifyError(e);
            fail(e.getMessage());
        }
    }

    /** All events of this repair, and none of the others, pass through it. */
    @Override
    protected void fireProgressEvent(ProgressEvent event)
    {
        if (failure != null && event.getType() == ProgressEventType.SUCCESS)
            return;
        if (failure != null && event.getType() == ProgressEventType.COMPLETE)
            super.fireProgressEvent(failed(event));
        else
            super.fireProgressEvent(event);
        if (event.getType() == ProgressEventType.START)
            notification(explanation(state.keyspace, state.options.getColumnFamilies()));
    }

    private ProgressEvent failed(ProgressEvent event)
    {
        String message = String.format("Repair command #%d finished with error", state.cmd);
        List<String> messages = new ArrayList<>(failure);
        messages.add(event.getMessage());
        ActiveRepairService.instance().recordRepairStatus(state.cmd, ParentRepairStatus.FAILED, messages);
        return new ProgressEvent(ProgressEventType.COMPLETE, event.getProgressCount(), event.getTotal(), message);
    }

    static String explanation(String keyspace, Collection<String> engineTables)
    {
        String tables = engineTables.stream().sorted().map(table -> keyspace + '.' + table).collect(Collectors.joining(", "));
        return "Cassiterite tables (" + tables + ") are repaired in full: rows in the engine are never marked repaired";
    }
}
