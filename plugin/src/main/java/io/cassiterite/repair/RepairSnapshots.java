/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.repair.NoSuchRepairSessionException;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.memtable.CassiteriteMemtable;

/**
 * The snapshots of sequential repairs: views of tables, by the name of the repair, until it is over or for six hours. A
 * later validation validates the table as it then is. That only causes streams of what was written meanwhile.
 * Thread-safe.
 */
public final class RepairSnapshots
{
    private static final Logger logger = LoggerFactory.getLogger(RepairSnapshots.class);

    private static final String HOURS_PROPERTY = "cassiterite.repair_snapshot_hours";
    private static final long LIMIT_NANOS = TimeUnit.HOURS.toNanos(Long.getLong(HOURS_PROPERTY, 6));

    private static final ConcurrentMap<Name, TableView> VIEWS = new ConcurrentHashMap<>();

    private RepairSnapshots()
    {
    }

    static boolean exists(TableId table, String repair)
    {
        return VIEWS.containsKey(new Name(table, repair));
    }

    /** Takes a snapshot; it replaces one of the same name. */
    static void take(CassiteriteMemtable memtable, String repair, Collection<Range<Token>> ranges)
    {
        TableView view = TableView.open(memtable, ranges);
        TableView before = VIEWS.put(new Name(memtable.metadata().id, repair), view);
        if (before != null)
            before.close();
    }

    /** @return null if there is none (any more) */
    static TableView find(TableId table, String repair)
    {
        return VIEWS.get(new Name(table, repair));
    }

    /** Releases the snapshots of repairs that are over, and those that are too old. Called every second. */
    public static void sweep()
    {
        for (Map.Entry<Name, TableView> entry : VIEWS.entrySet())
        {
            boolean isExpired = entry.getValue().ageNanos() > LIMIT_NANOS;
            if ((isExpired || !isRunning(entry.getKey().repair)) && VIEWS.remove(entry.getKey(), entry.getValue()))
                release(entry.getKey(), entry.getValue(), isExpired);
        }
    }

    private static void release(Name name, TableView view, boolean isExpired)
    {
        view.close();
        if (isExpired)
            logger.warn("[repair #{}] The snapshot of {} was kept for {} hours, which is the limit: ranges that have not been " +
                        "validated yet will be as they then are. -D{} sets another limit", name.repair, view.metadata(),
                        TimeUnit.NANOSECONDS.toHours(LIMIT_NANOS), HOURS_PROPERTY);
        else
            logger.info("[repair #{}] Released the snapshot of {}", name.repair, view.metadata());
    }

    private static boolean isRunning(String repair)
    {
        try
        {
            ActiveRepairService.instance().getParentRepairSession(TimeUUID.fromString(repair));
            return true;
        }
        catch (NoSuchRepairSessionException e)
        {
            return false;
        }
    }

    private static final class Name
    {
        private final TableId table;
        private final String repair;

        private Name(TableId table, String repair)
        {
            this.table = table;
            this.repair = repair;
        }

        @Override
        public boolean equals(Object other)
        {
            return other instanceof Name && table.equals(((Name) other).table) && repair.equals(((Name) other).repair);
        }

        @Override
        public int hashCode()
        {
            return Objects.hash(table, repair);
        }
    }
}
