/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs random histories on twins, epoch by epoch. An epoch has rounds: in a round, some tables get their statements beside
 * each other, those of one table one after the other; between rounds the node restarts, is killed, or its clock jumps.
 * All of it depends on the seed alone. A difference is shrunk and written to the report folder. One thread.
 */
public final class Oracle
{
    /**
     * Purging after gc_grace (10 days) and expiry may change answers under free timestamps: the jumps of an epoch stay
     * below both, see {@link Writes}.
     */
    private static final long[] JUMPS_SECONDS = { 1, 3, 61, 3600, 86_401, 2 * 86_400 };
    private static final int JUMPS_PER_EPOCH = 3;

    private final Machine machine;
    private final Seating seating;
    private final Consumer<String> output;
    private final boolean nodeEvents;
    private final Tally tally = new Tally();
    private final Findings findings;
    private long operationsMax = Long.MAX_VALUE;
    private long deadlineNanos;

    /** @param nodeEvents whether the node may be restarted, killed and its clock moved */
    Oracle(Machine machine, Seating seating, Path reports, boolean nodeEvents, Consumer<String> output)
    {
        this.machine = machine;
        this.seating = seating;
        this.nodeEvents = nodeEvents;
        this.output = output;
        this.findings = new Findings(machine, reports, nodeEvents, output);
    }

    /** The oracle on twin tables; {@code fault} spoils the engine's side, null for none. */
    public static Oracle onTwins(Machine machine, String stockMemtable, String engineMemtable, Path reports, boolean nodeEvents,
                                 Twin.Fault fault, Consumer<String> output)
    {
        return new Oracle(machine, new TwinSeating(machine, stockMemtable, engineMemtable, fault), reports, nodeEvents, output);
    }

    /** Limits the number of differences, and the time to shrink each. */
    public Oracle bounded(int differences, long shrinkingSeconds)
    {
        findings.limit(differences, shrinkingSeconds);
        return this;
    }

    /** Ends with the round that has compared so many. */
    public Oracle upTo(long operations)
    {
        operationsMax = operations;
        return this;
    }

    public List<String> findings()
    {
        return findings.texts();
    }

    public Tally tally()
    {
        return tally;
    }

    /** Runs for some time; the last epoch is cut short. */
    public void run(long seed, long seconds)
    {
        long startNanos = System.nanoTime();
        deadlineNanos = startNanos + TimeUnit.SECONDS.toNanos(seconds);
        for (long epoch = 0; !isOver() && !findings.areAll(); epoch++)
        {
            epoch(seed + epoch);
            String compared = seating.progress().isEmpty() ? ": " + tally.total() + " operations compared so far" : seating.progress();
            output.accept("epoch " + (seed + epoch) + " is over" + compared);
        }
        long tookSeconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos));
        output.accept(tally.report() + "oracle: " + tally.total() / tookSeconds + " operations a second over " + tookSeconds + " s");
    }

    private boolean isLate()
    {
        return System.nanoTime() - deadlineNanos >= 0;
    }

    private boolean isOver()
    {
        return isLate() || tally.total() >= operationsMax;
    }

    private void epoch(long seed)
    {
        Random random = new Random(seed);
        EpochKeyspace keyspace = new EpochKeyspace(machine, seating, seed);
        keyspace.create();
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < seating.seats(); i++)
            places.add(new Place(seating, keyspace, random.nextLong(), tally));
        List<List<Step>> events = events(random);
        AtOnce.each(places, Place::sit);
        for (int round = 0; round < events.size() && !isOver() && !haveFound(places); round++)
        {
            AtOnce.each(places, place -> place.play(seating.playsPerRound(), this::isLate));
            for (Step event : events.get(round))
                if (!haveFound(places))
                    happen(event, places);
        }
        AtOnce.each(places, Place::verify);
        findings.report(places, keyspace, seed);
        keyspace.drop();
    }

    /** @return what happens to the node after each round */
    private List<List<Step>> events(Random random)
    {
        List<Step> events = new ArrayList<>();
        for (int i = 0; i < JUMPS_PER_EPOCH; i++)
            events.add(Step.jump(JUMPS_SECONDS[random.nextInt(JUMPS_SECONDS.length)]));
        for (int i = 0; i < seating.outagesPerEpoch(); i++)
            events.add(Step.node(random.nextBoolean() ? Step.Action.KILL : Step.Action.RESTART));
        Collections.shuffle(events, random);
        List<List<Step>> rounds = new ArrayList<>();
        for (int i = 0; i < seating.roundsPerEpoch(); i++)
            rounds.add(new ArrayList<>());
        if (nodeEvents)
            events.forEach(event -> rounds.get(random.nextInt(rounds.size())).add(event));
        return rounds;
    }

    private static boolean haveFound(List<Place> places)
    {
        return places.stream().anyMatch(place -> place.finding() != null);
    }

    private void happen(Step event, List<Place> places)
    {
        if (event.action == Step.Action.KILL)
            AtOnce.each(places, place -> place.seat().tables.beforeKill());
        places.forEach(place -> place.seat().history.add(event, place.seat().tables.nowSeconds()));
        places.get(0).seat().tables.run(event);
        tally.count(event, null);
        AtOnce.each(places, Place::verify);
    }
}
