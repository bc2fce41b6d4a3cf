/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Repair of engine tables. Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link EngineRepairManager#snapshot} is called by RepairMessageVerbHandler (SNAPSHOT_MSG) on AntiEntropyStage.
 *     This one thread handles the repair messages of all tables: it opens cursors and links sstables here, and no more.
 * <li>{@link EngineRepairManager#submitValidation} is called by ValidationManager on AntiEntropyStage and must only
 *     queue.
 * <li>{@link EngineRepairManager#getValidationIterator} is called by ValidationManager.doValidation on a
 *     ValidationExecutor thread, without a lock. The same thread reads the iterator and closes it. The partitions must
 *     be digested as those of a stock replica, and the counts of partitions must not be 0 where there is data.
 * <li>{@link IncrementalRepairGate} filters every message of the node and must cost next to nothing. InboundSink.accept
 *     calls it on the stage of the message's verb, for PREPARE_MSG AntiEntropyStage. OutboundSink.accept calls it on
 *     the thread that sends, for PREPARE_MSG mostly Repair-Task.
 * <li>{@link EngineRepair} is a RepairCoordinator, which calls {@code fireProgressEvent} on whatever thread a step of a
 *     repair ends: Repair-Task, those of its sessions, its own. Listeners hear of it there, and must not wait.
 * <li>{@link ScheduledRepairs} puts {@link ScheduledRepair} in place of AutoRepairState for two schedules in
 *     AutoRepair.repairStates. AutoRepair calls it on the thread AutoRepair-Repair of the schedule.
 * </ul>
 * An exception is the way to refuse: it ends the validation or the repair, and its reason reaches the operator.
 */
package io.cassiterite.repair;
