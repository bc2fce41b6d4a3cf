/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** One run of a scenario: a session, and what it has answered so far. */
final class Run
{
    static final int WHOLE = 5000;

    private static final long WARM_BOUND_NANOS = 120_000_000_000L;
    private static final Duration METADATA_BOUND = Duration.ofMinutes(2);
    /** More than the answers that the door compares with Cassandra's before it sends them. */
    private static final int AUDITION = 40;
    private static final int POLL_MILLIS = 20;

    final DriverSession session;
    /** Another session of the node. */
    final Cql other;
    private final DoorCounts door;
    private final List<String> transcript = new ArrayList<>();

    /** @param door null where the session does not go through it */
    Run(DriverSession session, Cql other, DoorCounts door)
    {
        this.session = session;
        this.other = other;
        this.door = door;
    }

    List<String> transcript()
    {
        return transcript;
    }

    void record(String what, List<String> answer)
    {
        answer.forEach(line -> transcript.add(what + ": " + line));
    }

    void prepare(String statement, String cql)
    {
        record("prepare " + cql, session.prepare(statement, cql));
    }

    void execute(String statement, Object... values)
    {
        record("execute " + statement + ' ' + Arrays.toString(values), session.execute(statement, WHOLE, values));
    }

    void query(String cql)
    {
        record(cql, session.query(cql));
    }

    /** Executes until the door answers the statement itself. */
    void warm(String statement, Object... values)
    {
        if (door == null)
            return;
        long endNanos = System.nanoTime() + WARM_BOUND_NANOS;
        while (true)
        {
            for (int i = 0; i < AUDITION; i++)
                session.execute(statement, WHOLE, values);
            long before = door.answered();
            session.execute(statement, WHOLE, values);
            if (door.answered() > before)
                return;
            if (System.nanoTime() > endNanos)
                throw new AssertionError("the door does not answer " + statement + ' ' + Arrays.toString(values) + ": " + door.report());
            Pause.millis(POLL_MILLIS);
        }
    }

    /** The same, unless the answer is an error. */
    void warmIfValid(String statement, Object... values)
    {
        if (!session.execute(statement, WHOLE, values).get(0).startsWith(DriverSession.ERROR))
            warm(statement, values);
    }

    /** @return whether the driver hears of a text in the schema within a time */
    boolean hears(String keyspace, String text, long nanos)
    {
        long endNanos = System.nanoTime() + nanos;
        while (session.keyspace(keyspace).stream().noneMatch(line -> line.contains(text)))
        {
            if (System.nanoTime() > endNanos)
                return false;
            Pause.millis(POLL_MILLIS);
        }
        return true;
    }

    /** Waits until the driver has heard of a change of the schema. */
    void awaitKeyspace(String keyspace, String text, boolean isThere)
    {
        Await.untilAsserted(METADATA_BOUND, () -> {
            List<String> heard = session.keyspace(keyspace);
            assertEquals(isThere, heard.stream().anyMatch(line -> line.contains(text)),
                         () -> "the driver does not hear of " + text + ": " + heard);
        });
    }
}
