/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.NoSpamLogger;

/**
 * Which login may execute which statement. Every pair in use is decided again and again, as Cassandra would decide it
 * for a request; the door has those of which the last decision is fresh and was yes. Thread-safe.
 */
final class Grants
{
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(LoggerFactory.getLogger(Grants.class), 10, TimeUnit.MINUTES);

    static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final int MAX_PAIRS = 10_000;

    private final NativeDoor door;
    private final Decisions decisions;
    private final BooleanSupplier olderProtocols;
    private final LongSupplier clock;

    private final Map<Request, Long> wanted = new HashMap<>();
    private Set<Request> published = Set.of();

    /**
     * @param deciding       threads that may wait for Cassandra
     * @param olderProtocols whether Cassandra takes requests of older protocol versions now
     */
    Grants(NativeDoor door, Authority authority, Executor deciding, BooleanSupplier olderProtocols, LongSupplier clock)
    {
        this.door = door;
        this.decisions = new Decisions(authority, deciding, clock, this::publish);
        this.olderProtocols = olderProtocols;
        this.clock = clock;
    }

    /** Decides a pair for the first time; the door has it once that is done. Waits for nothing. */
    void want(Login login, Statement statement)
    {
        Request request = new Request(login, statement);
        if (request.isWithoutWarning() && note(request))
            decisions.want(request.question);
    }

    /** @return false if there are too many pairs */
    private synchronized boolean note(Request request)
    {
        if (wanted.size() >= MAX_PAIRS && !wanted.containsKey(request))
        {
            NO_SPAM.warn("The front door has {} pairs of login and statement already; Cassandra answers others", MAX_PAIRS);
            return false;
        }
        wanted.put(request, clock.getAsLong());
        return true;
    }

    /** Begins to decide all pairs anew. */
    void decide()
    {
        decisions.decide(inUse(clock.getAsLong()));
        publish();
    }

    private synchronized Set<Question> inUse(long now)
    {
        wanted.entrySet().removeIf(entry -> now - entry.getValue() > IDLE_NANOS || entry.getKey().question.login.connection() == null);
        return wanted.keySet().stream().map(request -> request.question).collect(Collectors.toSet());
    }

    /** Sees to it that decisions go on. @return whether that is to be done again soon */
    boolean tend()
    {
        decisions.tend();
        return decisions.isUnderWay();
    }

    /** Tells the door what is allowed, if it does not know. */
    synchronized void publish()
    {
        long now = clock.getAsLong();
        boolean takesOlder = olderProtocols.getAsBoolean();
        publish(where(request -> (takesOlder || !request.question.login.key.olderProtocol) && decisions.allows(request.question, now)));
    }

    private Set<Request> where(Predicate<Request> condition)
    {
        return wanted.keySet().stream().filter(condition).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private void publish(Set<Request> grants)
    {
        if (grants.equals(published))
            return;
        int[] logins = new int[grants.size()];
        ByteArrayOutputStream ids = new ByteArrayOutputStream(grants.size() * 16);
        int i = 0;
        for (Request request : grants)
        {
            logins[i++] = request.question.login.number;
            ids.writeBytes(request.statement.id.bytes);
        }
        door.grants(logins, ids.toByteArray());
        published = grants;
    }

    /** Withdraws what was decided too long ago, or what Cassandra would refuse now. */
    synchronized void expire()
    {
        if (!published.isEmpty())
            publish();
    }

    /** A statement with its pairs is gone; one that is prepared anew is decided anew. */
    synchronized void forget(Set<Statement> statements)
    {
        if (!wanted.keySet().removeIf(request -> statements.contains(request.statement)))
            return;
        publish();
    }

    /** The pairs of these logins and of these statements are in use. */
    synchronized void used(Set<Login> logins, Set<Statement> statements)
    {
        long now = clock.getAsLong();
        wanted.replaceAll((request, last) ->
            logins.contains(request.question.login) && statements.contains(request.statement) ? Long.valueOf(now) : last);
    }

    /** Withdraws everything. */
    synchronized void clear()
    {
        wanted.clear();
        decisions.clear();
        publish(Set.of());
    }

    synchronized int count()
    {
        return published.size();
    }

    /** A login that executes a statement. */
    private static final class Request
    {
        final Question question;
        final Statement statement;

        Request(Login login, Statement statement)
        {
            this.question = new Question(login, statement);
            this.statement = statement;
        }

        /** Cassandra warns of a statement without a keyspace of its own, on a connection in another one. */
        boolean isWithoutWarning()
        {
            return statement.connectionKeyspace == null || statement.connectionKeyspace.equals(question.login.key.keyspace);
        }

        @Override
        public boolean equals(Object other)
        {
            return other instanceof Request && question.login == ((Request) other).question.login
                   && statement == ((Request) other).statement;
        }

        @Override
        public int hashCode()
        {
            return Objects.hash(System.identityHashCode(question.login), System.identityHashCode(statement));
        }
    }
}
