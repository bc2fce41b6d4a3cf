/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.memtable.CassiteriteMemtable;

/** Which sstables of a table move next, together: all that can, or as many as fit on the device. Immutable. */
final class SstableGroup
{
    /** The engine's files of a table may be somewhat larger than its sstables. */
    private static final double ROOM = 1.1;
    private static final long FREE_BYTES_MIN = 256L << 20;

    final List<SSTableReader> sstables;
    /** Why sstables of the table are not among them; empty if all are. */
    final String waitsFor;

    private SstableGroup(List<SSTableReader> sstables, Collection<String> waitsFor)
    {
        this.sstables = List.copyOf(sstables);
        this.waitsFor = String.join("; ", waitsFor);
    }

    /**
     * @param begun          how far a move that was interrupted has come: its sstables are the group, if any is there; or null
     * @param refused        names of those that could not be moved
     * @param isAlone        true for one sstable at a time
     * @param availableBytes of the engine's device
     */
    static SstableGroup choose(CassiteriteMemtable memtable, MoveProgress.Point begun, Set<String> refused, boolean isAlone,
                               long availableBytes)
    {
        ColumnFamilyStore cfs = memtable.cfs();
        Set<String> reasons = new LinkedHashSet<>();
        Set<SSTableReader> compacting = cfs.getTracker().getCompacting();
        List<SSTableReader> movable = new ArrayList<>();
        for (SSTableReader sstable : cfs.getLiveSSTables())
        {
            String reason = compacting.contains(sstable) ? "sstables that are compacted" : whyNot(sstable, refused);
            if (memtable.sstables().isTruncated(sstable))
                reason = "another TRUNCATE: the last one has not removed " + sstable.descriptor.baseFile().name();
            if (reason == null)
                movable.add(sstable);
            else
                reasons.add(reason);
        }
        List<SSTableReader> again = movable.stream().filter(sstable -> begun != null && begun.sstables.contains(name(sstable)))
                                           .collect(Collectors.toList());
        List<SSTableReader> wanted = again.isEmpty() ? movable : again;
        Long position = again.isEmpty() ? null : begun.token;
        wanted.sort(Comparator.comparingLong(sstable -> leftBytes(sstable, position)));
        List<SSTableReader> fitting = fitting(wanted, position, availableBytes - FREE_BYTES_MIN);
        if (fitting.size() < wanted.size())
            reasons.add(space(wanted.get(fitting.size()), position, availableBytes));
        return new SstableGroup(isAlone && !fitting.isEmpty() ? fitting.subList(0, 1) : fitting, reasons);
    }

    /** What is not in the engine yet. */
    private static long leftBytes(SSTableReader sstable, Long position)
    {
        return sstable.onDiskLength() - RingShare.of(Set.of(sstable)).of(position);
    }

    private static String whyNot(SSTableReader sstable, Set<String> refused)
    {
        if (refused.contains(name(sstable)))
            return sstable.descriptor.baseFile().name() + ", which could not be moved";
        if (sstable.isMarkedSuspect())
            return "nodetool scrub of " + sstable.descriptor.baseFile().name() + ", which is damaged";
        if (sstable.isPendingRepair())
            return "an incremental repair that has " + sstable.descriptor.baseFile().name();
        if (sstable.metadata().isCounter() && sstable.getSSTableMetadata().hasLegacyCounterShards)
            return "nodetool upgradesstables: " + sstable.descriptor.baseFile().name() + " has counters of before Cassandra 2.1";
        return null;
    }

    private static List<SSTableReader> fitting(List<SSTableReader> ascending, Long position, long bytes)
    {
        long sum = 0;
        List<SSTableReader> fitting = new ArrayList<>();
        for (SSTableReader sstable : ascending)
        {
            sum += leftBytes(sstable, position);
            if (ROOM * sum > bytes)
                break;
            fitting.add(sstable);
        }
        return fitting;
    }

    private static String space(SSTableReader first, Long position, long availableBytes)
    {
        return String.format("space: %s has %s to move, and %s are available", first.descriptor.baseFile().name(),
                             FBUtilities.prettyPrintMemory(leftBytes(first, position)), FBUtilities.prettyPrintMemory(availableBytes));
    }

    /** Tells an sstable from all others that this table has had, or is to have. */
    static String name(SSTableReader sstable)
    {
        return String.join(":", sstable.descriptor.baseFile().name(), Long.toString(sstable.uncompressedLength()),
                           Long.toString(sstable.getMinTimestamp()), Long.toString(sstable.getMaxTimestamp()));
    }

    static Set<String> names(Collection<SSTableReader> sstables)
    {
        return sstables.stream().map(SstableGroup::name).collect(Collectors.toSet());
    }
}
