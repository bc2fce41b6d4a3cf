/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;

/**
 * Runs random histories on twins, epoch by epoch: some tables at a time, statements interleaved, restarts, kills, clock
 * jumps, flushes and compactions in between. A difference is shrunk and written to the report folder. One thread.
 */
public final class Oracle
{
    /** A keyspace of many tables is dropped slowly where the machine has other work. */
    private static final Duration SCHEMA_BOUND = Duration.ofMinutes(3);
    private static final int STEPS_PER_EPOCH = 1500;
    /**
     * Purging after gc_grace (10 days) and expiry may change answers under free timestamps: the jumps of an epoch stay
     * below both, see {@link Writes}.
     */
    private static final long[] JUMPS_SECONDS = { 1, 3, 61, 3600, 86_401, 2 * 86_400 };
    private static final int JUMPS_PER_EPOCH_MAX = 3;

    private final Machine machine;
    private final Seating seating;
    private final Path reports;
    private final Consumer<String> output;
    private final boolean nodeEvents;
    private final Tally tally = new Tally();
    private final List<String> findings = new ArrayList<>();
    private int tablesMade;
    private int differencesMax = 10;
    private long shrinkSeconds = 90;

    /** @param nodeEvents whether the node may be restarted, killed and its clock moved */
    Oracle(Machine machine, Seating seating, Path reports, boolean nodeEvents, Consumer<String> output)
    {
        this.machine = machine;
        this.seating = seating;
        this.reports = reports;
        this.nodeEvents = nodeEvents;
        this.output = output;
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
        differencesMax = differences;
        shrinkSeconds = shrinkingSeconds;
        return this;
    }

    public List<String> findings()
    {
        return findings;
    }

    public Tally tally()
    {
        return tally;
    }

    /** Runs for some time; the last epoch is cut short. */
    public void run(long seed, long seconds)
    {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long epoch = 0; System.nanoTime() < deadlineNanos && findings.size() < differencesMax; epoch++)
        {
            epoch(seed + epoch, deadlineNanos);
            output.accept("epoch " + (seed + epoch) + " is over" + seating.progress());
        }
        output.accept(tally.report());
    }

    private String nextName()
    {
        return "t" + tablesMade++;
    }

    private void epoch(long seed, long deadlineNanos)
    {
        Random random = new Random(seed);
        String keyspace = "oracle_" + Long.toUnsignedString(seed, 36);
        List<ValueType> userTypes = prepare(keyspace);
        List<Seat> seats = new ArrayList<>();
        List<Seat> retired = new ArrayList<>();
        int jumps = 0;
        for (int i = 0; i < seating.seats(); i++)
            seats.add(sit(random, keyspace, userTypes));
        for (int i = 0; i < STEPS_PER_EPOCH && System.nanoTime() < deadlineNanos && findings.size() < differencesMax; i++)
        {
            int at = random.nextInt(seats.size());
            Seat seat = seats.get(at);
            if (nodeEvents && random.nextInt(STEPS_PER_EPOCH) < 5)
            {
                Step.Action[] events = { Step.Action.RESTART, Step.Action.KILL, Step.Action.JUMP, Step.Action.JUMP, Step.Action.JUMP };
                Step.Action event = events[random.nextInt(events.length)];
                if (event != Step.Action.JUMP || jumps++ < JUMPS_PER_EPOCH_MAX)
                    happen(event, random, seats, seed);
                continue;
            }
            if (!play(seat, seat.next(), seed) || seat.history.steps.size() > seating.stepsPerTable())
            {
                retired.add(seat);
                seats.set(at, sit(random, keyspace, userTypes));
            }
        }
        for (Seat seat : seats)
            verify(seat, seed);
        execute("DROP KEYSPACE IF EXISTS " + keyspace);
    }

    private Seat sit(Random random, String keyspace, List<ValueType> userTypes)
    {
        Seat seat = seating.seat(random.nextLong(), seating.tables(keyspace, nextName()), userTypes);
        Outcome outcome = seat.tables.create(seat.history.create);
        if (outcome.difference != null || outcome.failed)
        {
            report(seat, outcome.difference != null ? outcome.difference : "the table cannot be created: " + seat.history.create, 0);
            return sit(random, keyspace, userTypes);
        }
        tally.table();
        return seat;
    }

    /** @return whether the twin can go on */
    private boolean play(Seat seat, List<Step> steps, long seed)
    {
        List<Supplier<Outcome>> outcomes = seat.tables.begin(steps);
        for (int i = 0; i < steps.size(); i++)
        {
            Step step = steps.get(i);
            seat.history.add(step, seat.tables.nowSeconds());
            Outcome outcome;
            try
            {
                outcome = outcomes.get(i).get();
            }
            catch (NodeDownException e)
            {
                report(seat, e.getMessage(), seed);
                machine.restart();
                return false;
            }
            tally.count(step, outcome);
            if (outcome.failed)
                seat.refused(step);
            String finding = outcome.difference;
            if (finding == null && outcome.failed && step.kind.startsWith("verify"))
                finding = "both sides refuse what must be readable: " + outcome.refusal + "\n  statement: " + step.describe();
            if (finding != null)
            {
                report(seat, finding, seed);
                return false;
            }
            boolean gone = step.kind.equals("create") && outcome.failed;
            if (gone || (!outcome.compared && step.action == Step.Action.STATEMENT))
                return false;
        }
        return true;
    }

    private void happen(Step.Action event, Random random, List<Seat> seats, long seed)
    {
        Step step = event == Step.Action.JUMP ? Step.jump(JUMPS_SECONDS[random.nextInt(JUMPS_SECONDS.length)]) : Step.node(event);
        if (event == Step.Action.KILL)
            seats.forEach(s -> s.tables.beforeKill());
        seats.forEach(s -> s.history.add(step, s.tables.nowSeconds()));
        seats.get(0).tables.run(step);
        tally.count(step, null);
        seats.removeIf(seat -> !verify(seat, seed));
        while (seats.size() < seating.seats())
        {
            String keyspace = seats.isEmpty() ? "oracle_" + Long.toUnsignedString(seed, 36) : seats.get(0).tables.keyspace();
            seats.add(sit(random, keyspace, userTypes()));
        }
    }

    private boolean verify(Seat seat, long seed)
    {
        return play(seat, seat.everything(), seed);
    }

    // --- findings

    private void report(Seat seat, String difference, long seed)
    {
        output.accept("DIFFERENCE in epoch " + seed + " after " + seat.history.steps.size() + " steps: " + difference + "\nshrinking ...");
        String[] last = { difference };
        History smallest = null;
        try
        {
            for (boolean timed : nodeEvents ? new boolean[]{ false, true } : new boolean[]{ false })
                if (smallest == null)
                    smallest = new Shrinker(history -> fails(history, seat, timed, last), TimeUnit.SECONDS.toNanos(shrinkSeconds)).shrink(
                        seat.history);
        }
        catch (RuntimeException e)
        {
            output.accept("shrinking failed: " + e);
        }
        String text = "-- epoch seed " + seed + (smallest == null ? ": NOT REPRODUCED on fresh tables, whole history follows" : "") + '\n'
                      + (smallest == null ? seat.history : smallest).script() + "\n/*\n" + last[0] + "\n*/\n";
        findings.add(text);
        save("difference-" + seed + '-' + findings.size() + ".cql", text);
        output.accept(smallest == null ? text.substring(0, Math.min(text.length(), 4000)) : text);
    }

    private boolean fails(History history, Seat seat, boolean timed, String[] last)
    {
        try
        {
            String difference = history.replay(seating.tables(seat.tables.keyspace(), nextName()), timed);
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

    // --- keyspaces

    private List<ValueType> prepare(String keyspace)
    {
        execute("DROP KEYSPACE IF EXISTS " + keyspace);
        execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        execute("CREATE TYPE " + keyspace + ".u0 (a int, b text, c frozen<set<int>>)");
        execute("CREATE TYPE " + keyspace + ".u1 (x decimal, y frozen<u0>, z frozen<map<text, bigint>>)");
        return userTypes();
    }

    private static List<ValueType> userTypes()
    {
        ValueType integer = ValueType.nativeType("int");
        ValueType text = ValueType.nativeType("text");
        ValueType u0 = ValueType.userType("u0", true, List.of("a", "b", "c"), List.of(integer, text, ValueType.set(integer)));
        ValueType u1 = ValueType.userType("u1", true, List.of("x", "y", "z"),
                                          List.of(ValueType.nativeType("decimal"), u0, ValueType.map(text,
                                                  ValueType.nativeType("bigint"))));
        return List.of(u0, u1);
    }

    private void execute(String cql)
    {
        machine.session().execute(SimpleStatement.newInstance(cql).setTimeout(SCHEMA_BOUND));
    }
}
