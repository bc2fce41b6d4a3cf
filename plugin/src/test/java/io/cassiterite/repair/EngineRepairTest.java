/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.repair.RepairCoordinator;
import org.apache.cassandra.repair.messages.RepairOption;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.service.ActiveRepairService.ParentRepairStatus;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.progress.ProgressEvent;
import org.apache.cassandra.utils.progress.ProgressEventType;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestNode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** One command has one end, after both of its parts, and its result is that of both. */
@OwnJvm
class EngineRepairTest
{
    private static final String KEYSPACE = "system";
    /** A repair of no ranges, which has nothing to do. */
    private static final RepairOption NO_RANGES = options("local");
    private static final RepairOption ABSENT_TABLE = options("absent");

    private final List<ProgressEvent> events = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch complete = new CountDownLatch(1);

    @BeforeAll
    static void initialize()
    {
        TestNode.initialize();
    }

    private static RepairOption options(String table)
    {
        TestNode.initialize();
        return RepairOption.parse(Map.of(RepairOption.COLUMNFAMILIES_KEY, table, RepairOption.IGNORE_UNREPLICATED_KS, "true"),
                                  StorageService.instance.getTokenMetadata().partitioner);
    }

    @Test
    void bothPartsSucceed() throws InterruptedException
    {
        RepairCoordinator repair = run(false, NO_RANGES, true);
        assertEquals(ParentRepairStatus.COMPLETED, status(repair));
        assertFalse(has("error"), this::texts);
    }

    @Test
    void theEngineTablesAreRepairedAlthoughTheOthersHaveFailed() throws InterruptedException
    {
        RepairCoordinator repair = run(true, NO_RANGES, true);
        assertEquals(ParentRepairStatus.FAILED, status(repair));
        assertTrue(has("others failed"), this::texts);
        assertTrue(has("skipped"), this::texts);
        assertEquals(0, count(ProgressEventType.SUCCESS));
        assertTrue(last().getMessage().endsWith("finished with error"), this::texts);
    }

    @Test
    void aScheduledRepairEndsWithTheOthers() throws InterruptedException
    {
        RepairCoordinator repair = run(true, NO_RANGES, false);
        assertEquals(ParentRepairStatus.FAILED, status(repair));
        assertFalse(has("skipped"), this::texts);
    }

    @Test
    void theOthersAreRepairedAlthoughTheEngineTablesFail() throws InterruptedException
    {
        RepairCoordinator repair = run(false, ABSENT_TABLE, true);
        assertEquals(ParentRepairStatus.FAILED, status(repair));
        assertTrue(has("Stock tables of system: done"), this::texts);
        assertEquals(0, count(ProgressEventType.SUCCESS));
    }

    private RepairCoordinator run(boolean othersFail, RepairOption engineTables, boolean goesOn) throws InterruptedException
    {
        Others others = new Others(othersFail);
        EngineRepair repair = EngineRepair.after(others, engineTables, goesOn);
        repair.addProgressListener((tag, event) ->
        {
            events.add(event);
            if (event.getType() == ProgressEventType.COMPLETE)
                complete.countDown();
        });
        repair.run();
        complete.await();
        assertEquals(1, count(ProgressEventType.COMPLETE), this::texts);
        assertEquals(ProgressEventType.COMPLETE, last().getType(), this::texts);
        return repair;
    }

    private static ParentRepairStatus status(RepairCoordinator repair)
    {
        return ActiveRepairService.instance().getRepairStatus(repair.state.cmd).left;
    }

    private ProgressEvent last()
    {
        return events.get(events.size() - 1);
    }

    private long count(ProgressEventType type)
    {
        return events.stream().filter(event -> event.getType() == type).count();
    }

    private boolean has(String text)
    {
        return events.stream().anyMatch(event -> event.getMessage().contains(text));
    }

    private String texts()
    {
        return events.stream().map(event -> event.getType() + " " + event.getMessage()).collect(Collectors.joining("\n"));
    }

    /** A repair of stock tables that ends as told. */
    private static final class Others extends RepairCoordinator
    {
        private final boolean fails;

        private Others(boolean fails)
        {
            super(StorageService.instance, StorageService.nextRepairCommand.incrementAndGet(), NO_RANGES, KEYSPACE);
            this.fails = fails;
        }

        @Override
        public void run()
        {
            fire(ProgressEventType.START, "Starting");
            if (fails)
                fire(ProgressEventType.ERROR, "others failed");
            else
                fire(ProgressEventType.SUCCESS, "done");
            ActiveRepairService.instance().recordRepairStatus(state.cmd, fails ? ParentRepairStatus.FAILED : ParentRepairStatus.COMPLETED,
                                                              List.of(fails ? "others failed" : "done"));
            fire(ProgressEventType.COMPLETE, "finished");
        }

        private void fire(ProgressEventType type, String message)
        {
            fireProgressEvent(new ProgressEvent(type, 0, 1, message));
        }
    }
}
