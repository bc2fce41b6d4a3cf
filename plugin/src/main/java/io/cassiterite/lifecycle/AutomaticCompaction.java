/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionStrategyManager;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.node.EngineControl;

/**
 * Has the engine compact a table automatically where Cassandra would: the schema and nodetool's verbs set the switch of
 * the table's compaction strategy, and the engine follows it. Thread-safe.
 */
final class AutomaticCompaction
{
    private static final Logger logger = LoggerFactory.getLogger(AutomaticCompaction.class);

    /** Files of level 0 at which writers would be slowed down if compaction were on. */
    private static final long MANY_FILES = 20;
    private static final long WARNING_HOURS = 1;

    /** Few bytes for each table since the node's start, dropped ones included. */
    private final ConcurrentMap<TableId, Boolean> followed = new ConcurrentHashMap<>();

    /** Called every second, and by whoever has moved the switch. */
    void follow(ColumnFamilyStore cfs, EngineControl engine)
    {
        CompactionStrategyManager strategies = cfs.getCompactionStrategyManager();
        boolean isOn = strategies.isEnabled();
        if (!isOn && isPaused(strategies))
            return;
        long files = engine.compactAutomatically(cfs, isOn);
        Boolean before = followed.put(cfs.metadata.id, isOn);
        if (before == null ? !isOn : before != isOn)
            logger.info("Automatic compaction of {} in the engine is {}", cfs.metadata(), isOn ? "on" : "off");
        if (!isOn && files >= MANY_FILES)
            NoSpamLogger.log(logger, NoSpamLogger.Level.WARN, cfs.metadata.id.toString(), WARNING_HOURS, TimeUnit.HOURS,
                             "Automatic compaction of {} is off, and {} files of level 0 have gathered: writes do not wait for " +
                             "them, but each read looks into all. Switch it on (nodetool enableautocompaction), or run " +
                             "nodetool compact", cfs.metadata(), files);
    }

    /** Cassandra pauses compaction for a moment, as for TRUNCATE, or for the rest of its life, as drain does. */
    private static boolean isPaused(CompactionStrategyManager strategies)
    {
        return !strategies.isActive() || strategies.isEnabled()
               || StorageService.instance.isDraining() || StorageService.instance.isDrained();
    }
}
