/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Whether the front door answers, by its own counts. Tests wait here for what is to happen, however long that takes on a
 * busy machine; nothing that is asked for one read may run beside other reads.
 */
public final class NativeAnswers
{
    /** Far more than anything takes: only what never happens is a failure. */
    public static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final String ANSWERED = "executes_answered";
    private static final String PASSED = "executes_passed_";
    private static final Duration COUNTED = Duration.ofSeconds(5);

    private final CqlSession observer;

    /** @param observer may read the plug-in's virtual tables */
    public NativeAnswers(CqlSession observer)
    {
        this.observer = observer;
    }

    /** One EXECUTE on a connection of the front door's, and its answer. */
    @FunctionalInterface
    public interface Read<E extends Exception>
    {
        void run() throws E;
    }

    /** Reads once. @return whether the door answered */
    <E extends Exception> boolean isNative(Read<E> read) throws E
    {
        return isNative(1, read);
    }

    private <E extends Exception> boolean isNative(int executes, Read<E> read) throws E
    {
        Map<String, Long> before = counts();
        read.run();
        // The door counts an answer when the client has it already. Of a client that it has handed to Netty it counts nothing.
        long end = System.nanoTime() + COUNTED.toNanos();
        while (decided(counts()) < decided(before) + executes && System.nanoTime() < end)
            Pause.millis(5);
        return answered() >= before.get(ANSWERED) + executes;
    }

    /** Reads until the door answers. */
    public <E extends Exception> void await(Read<E> read) throws E
    {
        await(1, read);
    }

    /** Reads until the door answers each of so many EXECUTEs. */
    public <E extends Exception> void await(int executes, Read<E> read) throws E
    {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isNative(executes, read))
            if (System.nanoTime() > end)
                throw new AssertionError("the door answers nothing: " + this);
    }

    /** Reads until a gate is reported as closed; of a table it is, once there is a recipe. None of the reads is native. */
    <E extends Exception> void awaitGate(String gate, Read<E> read) throws E
    {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!gates().contains(gate))
        {
            assertFalse(isNative(read), gate);
            if (System.nanoTime() > end)
                throw new AssertionError(gate + " is not closed: " + this);
        }
    }

    /** Waits for what is to come by itself. */
    static void awaitTrue(String what, Callable<Boolean> condition)
    {
        Await.until(what, PATIENCE, condition);
    }

    /** Those of all clients since the door opened. */
    long answered()
    {
        return counts().get(ANSWERED);
    }

    /** @param name as the virtual table has it */
    long count(String name)
    {
        return counts().get(name);
    }

    /** The names of the gates that are closed. */
    List<String> gates()
    {
        return rows("SELECT gate_name FROM cassiterite.front_door_gates").stream().map(row -> row.getString("gate_name")).toList();
    }

    private static long decided(Map<String, Long> counts)
    {
        return counts.entrySet().stream().filter(count -> count.getKey().equals(ANSWERED) || count.getKey().startsWith(PASSED))
                     .mapToLong(Map.Entry::getValue).sum();
    }

    private Map<String, Long> counts()
    {
        Map<String, Long> counts = new TreeMap<>();
        for (Row row : rows("SELECT name, count FROM cassiterite.front_door"))
            counts.put(row.getString("name"), row.getLong("count"));
        return counts;
    }

    private List<Row> rows(String cql)
    {
        return observer.execute(cql).all();
    }

    /** Why the door answers or does not. */
    @Override
    public String toString()
    {
        Map<String, Long> counts = counts();
        counts.values().removeIf(count -> count == 0);
        return counts + ", closed: " + gates() + ", recipes: "
               + rows("SELECT * FROM cassiterite.front_door_recipes").stream().map(Row::getFormattedContents).toList();
    }
}
