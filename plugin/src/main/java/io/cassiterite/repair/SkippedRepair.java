/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.List;
import java.util.Map;

import org.apache.cassandra.repair.RepairCoordinator;
import org.apache.cassandra.repair.messages.RepairOption;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.service.ActiveRepairService.ParentRepairStatus;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.progress.ProgressEvent;
import org.apache.cassandra.utils.progress.ProgressEventType;

/** A command that leaves out all tables that it is for, and says why. */
public final class SkippedRepair extends RepairCoordinator
{
    private final String reason;

    public SkippedRepair(int command, String keyspace, String reason)
    {
        super(StorageService.instance, command,
              RepairOption.parse(Map.of(), StorageService.instance.getTokenMetadata().partitioner), keyspace);
        this.reason = reason;
    }

    @Override
    public void run()
    {
        state.phase.skip(reason);
        notification(reason);
        fireProgressEvent(new ProgressEvent(ProgressEventType.SUCCESS, 1, 1, reason));
        ActiveRepairService.instance().recordRepairStatus(state.cmd, ParentRepairStatus.COMPLETED, List.of(reason));
        fireProgressEvent(new ProgressEvent(ProgressEventType.COMPLETE, 1, 1,
                                            String.format("Repair command #%d finished: it had nothing to do", state.cmd)));
    }
}
