/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How an oracle runs, on tables that only note their steps: tables beside each other, and all the same by the seed alone. */
class OracleRunTest
{
    private static final int SECONDS_MAX = 120;
    private static final int SHRINK_SECONDS = 20;
    private static final long OPERATIONS = 45_000;

    @TempDir
    Path reports;

    private Oracle oracle(NotedTables.Seats seats, NotedTables.IdleMachine machine)
    {
        return new Oracle(machine, seats, reports, true, line -> { }).bounded(1, SHRINK_SECONDS);
    }

    private Map<String, List<String>> played(long seed)
    {
        NotedTables.Seats seats = new NotedTables.Seats(steps -> null);
        Oracle oracle = oracle(seats, new NotedTables.IdleMachine()).upTo(OPERATIONS);
        oracle.run(seed, SECONDS_MAX);
        assertTrue(oracle.tally().total() >= OPERATIONS, oracle.tally().report());
        assertTrue(oracle.tally().total() < 2 * OPERATIONS, oracle.tally().report());
        return seats.shapes();
    }

    @Test
    void theSameSeedPlaysTheSameSteps()
    {
        Map<String, List<String>> first = played(7);
        assertEquals(first, played(7));
        assertFalse(first.equals(played(8)));
        assertTrue(first.size() > 5, first.keySet().toString());
        assertTrue(first.values().stream().flatMap(List::stream).anyMatch("-- kill"::equals)
                   || first.values().stream().flatMap(List::stream).anyMatch("-- restart"::equals));
    }

    @Test
    void aDifferenceIsShrunkToTheStepsThatCauseIt() throws Exception
    {
        Predicate<Step> deletion = step -> step.kind.equals("delete range");
        Predicate<Step> flush = step -> step.action == Step.Action.FLUSH_ENGINE;
        NotedTables.Seats seats = new NotedTables.Seats(steps -> isAfter(steps, deletion, flush) && last(steps).kind.equals("verify rows")
                                                                 ? "the deletion is lost" : null);
        Oracle oracle = oracle(seats, new NotedTables.IdleMachine());
        oracle.run(11, SECONDS_MAX);
        assertEquals(1, oracle.findings().size());
        String script = oracle.findings().get(0);
        List<String> steps = script.lines().filter(line -> line.startsWith("/* ")).collect(Collectors.toList());
        assertEquals(3, steps.size(), script);
        assertTrue(steps.get(0).contains("DELETE FROM {t}") && steps.get(1).contains("flush engine")
                   && steps.get(2).contains("SELECT * FROM {t}"), script);
        assertTrue(script.startsWith("-- epoch seed 11\nCREATE TABLE {t}") && script.contains("the deletion is lost"), script);
        try (Stream<Path> files = Files.list(reports))
        {
            assertEquals(List.of(script), files.map(OracleRunTest::text).collect(Collectors.toList()));
        }
    }

    private static boolean isAfter(List<Step> steps, Predicate<Step> first, Predicate<Step> then)
    {
        for (int i = 0; i < steps.size(); i++)
            if (first.test(steps.get(i)))
                return steps.subList(i, steps.size()).stream().anyMatch(then);
        return false;
    }

    private static Step last(List<Step> steps)
    {
        return steps.get(steps.size() - 1);
    }

    private static String text(Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (java.io.IOException e)
        {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aNodeThatEndsIsOneFindingAndNamesTheTablesThatEndedIt()
    {
        NotedTables.IdleMachine machine = new NotedTables.IdleMachine();
        NotedTables.Seats seats = new NotedTables.Seats(steps ->
        {
            if (last(steps).kind.equals("truncate"))
                machine.down = true;
            if (machine.down)
                throw new NodeDownException("the node has ended");
            return null;
        });
        Oracle oracle = oracle(seats, machine);
        oracle.run(5, SECONDS_MAX);
        assertEquals(1, oracle.findings().size());
        List<String> steps = oracle.findings().get(0).lines().filter(line -> line.startsWith("/* ")).collect(Collectors.toList());
        assertEquals(1, steps.size(), oracle.findings().get(0));
        assertTrue(steps.get(0).contains("TRUNCATE {t}"), steps.get(0));
        assertFalse(machine.down);
    }

    @Test
    void whatDoesNotHappenAgainIsReportedWhole()
    {
        List<String> once = new ArrayList<>();
        NotedTables.Seats seats = new NotedTables.Seats(steps ->
        {
            synchronized (once)
            {
                if (!once.isEmpty() || steps.size() < 20)
                    return null;
                once.add("a row is lost");
                return once.get(0);
            }
        });
        Oracle oracle = oracle(seats, new NotedTables.IdleMachine());
        oracle.run(3, SECONDS_MAX);
        assertEquals(1, oracle.findings().size());
        assertTrue(oracle.findings().get(0).contains("NOT REPRODUCED"), oracle.findings().get(0));
        assertEquals(20, oracle.findings().get(0).lines().filter(line -> line.startsWith("/* ")).count());
    }
}
