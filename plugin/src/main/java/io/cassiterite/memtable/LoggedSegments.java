/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.node.LabelFile;

/**
 * Which segments of Cassandra's commit log have writes that the engine has, too, as the file {@code cassiterite.segments} in the
 * store's directory says. A replay leaves those writes out: a segment may be kept long after the one with the deletion of its
 * rows is gone, and the deletion may be purged (danger M12).
 *
 * <p>A segment is noted, durably, before the first of its writes reaches the engine. So one that is not noted has no
 * acknowledged write of the engine. Ids of segments are of the clock and grow from run to run; Cassandra's own replay relies on
 * that, too. A run names its tables, for a later start may map more of them to the engine: their writes are in the log alone.
 * Thread-safe.
 */
final class LoggedSegments
{
    static final String FILE_NAME = "cassiterite.segments";
    static final String FORMAT = "cassiterite logged segments 1";

    private final Path file;
    private final Supplier<Collection<Long>> present;
    private final Supplier<Collection<TableId>> open;
    private final ConcurrentLinkedQueue<Write> wanted = new ConcurrentLinkedQueue<>();
    private final SharedSync shared = new SharedSync(this::extend);
    /** Since this run noted its first segment: those of which a segment was there. */
    private volatile List<Run> earlier;
    private volatile Run current;

    private LoggedSegments(Path file, Supplier<Collection<Long>> present, Supplier<Collection<TableId>> open, List<Run> earlier)
    {
        this.file = file;
        this.present = present;
        this.open = open;
        this.earlier = earlier;
    }

    /**
     * @param present the ids of the segments that are there
     * @param open    the tables whose writes go to the engine in this run
     * @throws IOException if the file is there, and cannot be read or is damaged
     */
    static LoggedSegments read(Path directory, Supplier<Collection<Long>> present, Supplier<Collection<TableId>> open) throws IOException
    {
        Path file = directory.resolve(FILE_NAME);
        List<Run> runs = new ArrayList<>();
        if (Files.exists(file))
            for (Map.Entry<String, String> run : LabelFile.read(file, FORMAT).entrySet())
                runs.add(Run.of(file, run.getKey(), run.getValue()));
        return new LoggedSegments(file, present, open, runs);
    }

    /** Whether the engine has the writes to this table that the segment has. */
    boolean has(TableId table, long segment)
    {
        Run run = current;
        return run != null && run.has(table, segment) || earlier.stream().anyMatch(other -> other.has(table, segment));
    }

    /**
     * Returns when it is durable that the engine has what this segment has of the table. Reads a field if it is.
     *
     * @throws FSWriteError if it cannot be written
     */
    void note(TableId table, long segment)
    {
        Run run = current;
        if (run != null && run.has(table, segment))
            return;
        wanted.add(new Write(table, segment));
        shared.await();
    }

    private void extend()
    {
        List<Write> taken = new ArrayList<>();
        for (Write write = wanted.poll(); write != null; write = wanted.poll())
            taken.add(write);
        Run run = current;
        if (run != null && taken.stream().allMatch(write -> run.has(write.table, write.segment)))
            return; // an earlier one has noted them all
        Run next = run == null ? Run.of(open.get()) : run;
        for (Write write : taken)
            next = next.and(write);
        List<Run> others = run == null ? stillThere() : earlier;
        try
        {
            write(others, next);
        }
        catch (IOException e)
        {
            wanted.addAll(taken); // of callers that wait for the next attempt
            throw new FSWriteError(e, file.toFile().getPath());
        }
        earlier = others;
        current = next;
    }

    private List<Run> stillThere()
    {
        Collection<Long> segments = present.get();
        return earlier.stream().filter(run -> segments.stream().anyMatch(run::spans)).collect(Collectors.toList());
    }

    private void write(List<Run> others, Run run) throws IOException
    {
        Map<String, String> lines = new LinkedHashMap<>();
        for (Run other : others)
            lines.put(other.name(), other.text());
        lines.put(run.name(), run.text());
        LabelFile.write(file, FORMAT, lines);
    }

    private static final class Write
    {
        private final TableId table;
        private final long segment;

        private Write(TableId table, long segment)
        {
            this.table = table;
            this.segment = segment;
        }
    }

    /** The segments of one run of the node, from the first to the last with a write of the engine. Immutable. */
    private static final class Run
    {
        private final long first;
        private final long last;
        private final Set<TableId> tables;

        private Run(long first, long last, Set<TableId> tables)
        {
            this.first = first;
            this.last = last;
            this.tables = tables;
        }

        private static Run of(Collection<TableId> tables)
        {
            return new Run(Long.MAX_VALUE, Long.MIN_VALUE, Set.copyOf(tables));
        }

        private Run and(Write write)
        {
            Set<TableId> wider = new HashSet<>(tables);
            wider.add(write.table);
            return new Run(Math.min(first, write.segment), Math.max(last, write.segment), wider);
        }

        private boolean spans(long segment)
        {
            return first <= segment && segment <= last;
        }

        private boolean has(TableId table, long segment)
        {
            return spans(segment) && tables.contains(table);
        }

        private String name()
        {
            return first + "-" + last;
        }

        private String text()
        {
            Set<String> ids = new TreeSet<>();
            tables.forEach(table -> ids.add(table.toString()));
            return String.join(" ", ids);
        }

        private static Run of(Path file, String name, String text) throws IOException
        {
            try
            {
                String[] ends = name.split("-");
                Set<TableId> tables = new HashSet<>();
                for (String id : text.split(" "))
                    tables.add(TableId.fromString(id));
                return new Run(Long.parseLong(ends[0]), Long.parseLong(ends[1]), tables);
            }
            catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e)
            {
                throw new IOException(file + " has a line that is no run: " + name + '=' + text, e);
            }
        }
    }
}
