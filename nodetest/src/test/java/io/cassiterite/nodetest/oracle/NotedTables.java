/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.datastax.oss.driver.api.core.CqlSession;

/** Tables without a node, which note their steps; a function of all steps so far says whether the last one shows a difference. */
final class NotedTables implements Tables
{
    private final Machine machine;
    private final String keyspace;
    private final Function<List<Step>, String> difference;
    private final List<Step> steps = new ArrayList<>();
    private final String name;

    private NotedTables(Machine machine, String keyspace, String name, Function<List<Step>, String> difference)
    {
        this.machine = machine;
        this.keyspace = keyspace;
        this.name = name;
        this.difference = difference;
    }

    @Override
    public String keyspace()
    {
        return keyspace;
    }

    @Override
    public Outcome run(Step step)
    {
        if (step.kind.equals("create") && steps.isEmpty() || step.kind.equals("drop") && step.cql.contains("IF EXISTS"))
            return Outcome.alike(null);
        steps.add(step);
        String found = difference.apply(steps);
        if (found != null)
            return Outcome.differs(found, false);
        return step.action == Step.Action.STATEMENT ? Outcome.alike(null) : Outcome.done();
    }

    @Override
    public void beforeKill()
    {
        // nothing to lose
    }

    @Override
    public long nowSeconds()
    {
        return machine.clockOffsetSeconds();
    }

    /** The seats of twins on such tables. */
    static final class Seats implements Seating
    {
        private final TwinSeating twins = new TwinSeating(null, "trie", "cassiterite", null);
        private final Machine machine = new IdleMachine();
        private final Map<String, NotedTables> all = new ConcurrentHashMap<>();
        private final Map<String, Seat> seats = new ConcurrentHashMap<>();
        private final Function<List<Step>, String> difference;

        Seats(Function<List<Step>, String> difference)
        {
            this.difference = difference;
        }

        /** @return the steps of each table, by its keyspace and CREATE TABLE */
        Map<String, List<String>> shapes()
        {
            Map<String, List<String>> played = new TreeMap<>();
            all.forEach((name, tables) -> played.put(tables.keyspace + ' ' + seats.get(name).history.create,
                                                     tables.steps.stream().map(Step::describe).collect(Collectors.toList())));
            return played;
        }

        @Override
        public int seats()
        {
            return twins.seats();
        }

        @Override
        public int roundsPerEpoch()
        {
            return twins.roundsPerEpoch();
        }

        @Override
        public int playsPerRound()
        {
            return twins.playsPerRound();
        }

        @Override
        public int outagesPerEpoch()
        {
            return twins.outagesPerEpoch();
        }

        @Override
        public int stepsPerTable()
        {
            return twins.stepsPerTable();
        }

        @Override
        public Tables tables(String keyspace, String name)
        {
            NotedTables tables = new NotedTables(machine, keyspace, keyspace + '.' + name, difference);
            all.put(tables.name, tables);
            return tables;
        }

        @Override
        public Seat seat(long seed, Tables tables, List<ValueType> userTypes)
        {
            Seat seat = twins.seat(seed, tables, userTypes);
            seats.put(((NotedTables) tables).name, seat);
            return seat;
        }
    }

    /** A machine whose session takes all statements and does nothing. */
    static final class IdleMachine implements Machine
    {
        volatile boolean down;

        @Override
        public CqlSession session(Use use)
        {
            return (CqlSession) Proxy.newProxyInstance(CqlSession.class.getClassLoader(), new Class<?>[]{ CqlSession.class },
                                                       (proxy, method, arguments) -> null);
        }

        @Override
        public void flush(String keyspace, String... tables)
        {
            // nothing is kept
        }

        @Override
        public void compact(String keyspace, String table)
        {
            // nothing is kept
        }

        @Override
        public void restart()
        {
            down = false;
        }

        @Override
        public void kill()
        {
            down = false;
        }

        @Override
        public void jump(long seconds)
        {
            // no clock
        }

        @Override
        public long clockOffsetSeconds()
        {
            return 0;
        }
    }
}
