/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The differences that an oracle has found: shrinks each, and writes it to the report folder. One thread. */
final class Findings
{
    private static final int LENGTH_SHOWN = 4000;

    private final Machine machine;
    private final Path reports;
    private final boolean nodeEvents;
    private final Consumer<String> output;
    private final List<String> texts = new ArrayList<>();
    private int most = 10;
    private long shrinkSeconds = 90;

    /** @param nodeEvents whether a replay may move the node's clock */
    Findings(Machine machine, Path reports, boolean nodeEvents, Consumer<String> output)
    {
        this.machine = machine;
        this.reports = reports;
        this.nodeEvents = nodeEvents;
        this.output = output;
    }

    /** Limits the number of differences, and the time to shrink each. */
    void limit(int differences, long shrinkingSeconds)
    {
        most = differences;
        shrinkSeconds = shrinkingSeconds;
    }

    boolean areAll()
    {
        return texts.size() >= most;
    }

    List<String> texts()
    {
        return texts;
    }

    /** Reports what these places have found in an epoch. The clock may have moved far then: the epoch has to end. */
    void report(List<Place> places, EpochKeyspace keyspace, long seed)
    {
        List<Place> down = places.stream().filter(Place::sawNodeDown).collect(Collectors.toList());
        if (!down.isEmpty())
            reportDown(down, keyspace, seed);
        for (Place place : places)
            if (place.finding() != null && !place.sawNodeDown())
            {
                if (areAll())
                {
                    output.accept("one more DIFFERENCE in epoch " + seed + ", not looked into: " + place.finding());
                    continue;
                }
                announce(place.seat(), place.finding(), seed);
                String shrunk = shrink(place.seat(), keyspace, seed, place.finding());
                add(shrunk != null ? shrunk : whole(place.seat(), seed, place.finding()), seed);
            }
    }

    /** All places see a node end, and one of them may have ended it. */
    private void reportDown(List<Place> down, EpochKeyspace keyspace, long seed)
    {
        machine.restart();
        for (Place place : down)
        {
            announce(place.seat(), place.finding(), seed);
            String shrunk = shrink(place.seat(), keyspace, seed, place.finding());
            if (shrunk != null)
            {
                add(shrunk, seed);
                return;
            }
        }
        add(down.stream().map(place -> whole(place.seat(), seed, place.finding())).collect(Collectors.joining("\n")), seed);
    }

    private void announce(Seat seat, String difference, long seed)
    {
        output.accept("DIFFERENCE in epoch " + seed + " after " + seat.history.steps.size() + " steps: " + difference + "\nshrinking ...");
    }

    /** @return the shortest script found that fails on fresh tables, or null */
    private String shrink(Seat seat, EpochKeyspace keyspace, long seed, String difference)
    {
        String[] last = { difference };
        History smallest = null;
        long boundNanos = TimeUnit.SECONDS.toNanos(shrinkSeconds);
        try
        {
            for (boolean timed : nodeEvents ? new boolean[]{ false, true } : new boolean[]{ false })
                if (smallest == null)
                    smallest = new Shrinker(history -> fails(history, keyspace, timed, last), boundNanos).shrink(seat.history);
        }
        catch (RuntimeException e)
        {
            output.accept("shrinking failed: " + e);
        }
        return smallest == null ? null : text("", smallest, seed, last[0]);
    }

    private static String whole(Seat seat, long seed, String difference)
    {
        return text(": NOT REPRODUCED on fresh tables, whole history follows", seat.history, seed, difference);
    }

    private static String text(String remark, History history, long seed, String difference)
    {
        return "-- epoch seed " + seed + remark + '\n' + history.script() + "\n/*\n" + difference + "\n*/\n";
    }

    private boolean fails(History history, EpochKeyspace keyspace, boolean timed, String[] last)
    {
        try
        {
            String difference = history.replay(keyspace.tables(), timed);
            if (difference != null)
                last[0] = difference;
            return difference != null;
        }
        catch (NodeDownException e)
        {
            last[0] = e.getMessage();
            machine.restart();
            return true;
        }
    }

    private void add(String text, long seed)
    {
        texts.add(text);
        save("difference-" + seed + '-' + texts.size() + ".cql", text);
        output.accept(text.contains("NOT REPRODUCED") ? text.substring(0, Math.min(text.length(), LENGTH_SHOWN)) : text);
    }

    private void save(String name, String text)
    {
        try
        {
            Files.createDirectories(reports);
            Files.writeString(reports.resolve(name), text);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
