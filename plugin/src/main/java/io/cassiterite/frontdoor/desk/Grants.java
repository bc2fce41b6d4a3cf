/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.slf4j.LoggerFactory;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.NoSpamLogger;
import org.apache.cassandra.utils.Pair;

/**
 * Which login may execute which statement. Every pair in use is decided again and again, as Cassandra would decide it
 * for a request; the door has those of which the last decision is fresh and was yes. Thread-safe, but only one thread
 * decides.
 */
final class Grants
{
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(LoggerFactory.getLogger(Grants.class), 10, TimeUnit.MINUTES);

    /** A decision is as old as the round that made it. Permissions of other nodes may take long to come. */
    static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final int MAX_PAIRS = 10_000;

    private final NativeDoor door;
    private final Authority authority;
    private final BooleanSupplier olderProtocols;
    private final LongSupplier clock;

    private final Map<Request, Long> wanted = new HashMap<>();
    private Set<Request> granted = Set.of();
    private Set<Request> published = Set.of();
    private long decided;

    /** @param olderProtocols whether Cassandra takes requests of older protocol versions now */
    Grants(NativeDoor door, Authority authority, BooleanSupplier olderProtocols, LongSupplier clock)
    {
        this.door = door;
        this.authority = authority;
        this.olderProtocols = olderProtocols;
        this.clock = clock;
        this.decided = clock.getAsLong() - FRESH_NANOS - 1;
    }

    /** Decides a pair for the first time; the door has it after {@link #publish}. */
    void want(Login login, Statement statement)
    {
        Request request = new Request(login, statement);
        if (!request.isWithoutWarning() || !note(request) || !allows(request))
            return;
        synchronized (this)
        {
            if (!wanted.containsKey(request))
                return;
            Set<Request> more = new LinkedHashSet<>(granted);
            more.add(request);
            granted = more;
        }
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

    /** Decides all pairs anew and tells the door. */
    void decide()
    {
        long started = clock.getAsLong();
        Map<Pair<Login, TableId>, Boolean> decisions = new HashMap<>();
        Set<Request> allowed = new LinkedHashSet<>();
        for (Request request : inUse(started))
        {
            Pair<Login, TableId> about = Pair.create(request.login, request.statement.table);
            if (decisions.computeIfAbsent(about, ignored -> allows(request)))
                allowed.add(request);
        }
        synchronized (this)
        {
            allowed.retainAll(wanted.keySet());
            granted = allowed;
            decided = started;
            publish();
        }
    }

    private synchronized List<Request> inUse(long now)
    {
        wanted.entrySet().removeIf(entry -> now - entry.getValue() > IDLE_NANOS || entry.getKey().login.connection() == null);
        return new ArrayList<>(wanted.keySet());
    }

    /** Tells the door, if it does not know. */
    synchronized void publish()
    {
        boolean fresh = clock.getAsLong() - decided <= FRESH_NANOS;
        if (!fresh)
            publish(Set.of());
        else if (olderProtocols.getAsBoolean())
            publish(granted);
        else
            publish(where(request -> !request.login.key.olderProtocol));
    }

    private Set<Request> where(Predicate<Request> condition)
    {
        return granted.stream().filter(condition).collect(Collectors.toCollection(LinkedHashSet::new));
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
            logins[i++] = request.login.number;
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
        granted = where(wanted::containsKey);
        publish();
    }

    /** The pairs of these logins and of these statements are in use. */
    synchronized void used(Set<Login> logins, Set<Statement> statements)
    {
        long now = clock.getAsLong();
        wanted.replaceAll((request, last) ->
            logins.contains(request.login) && statements.contains(request.statement) ? Long.valueOf(now) : last);
    }

    /** Withdraws everything. */
    synchronized void clear()
    {
        wanted.clear();
        granted = Set.of();
        publish(granted);
    }

    synchronized int count()
    {
        return published.size();
    }

    private boolean allows(Request request)
    {
        ClientConnection connection = request.login.connection();
        return connection != null && authority.allows(connection, request.statement);
    }

    /** A login that executes a statement. */
    private static final class Request
    {
        final Login login;
        final Statement statement;

        Request(Login login, Statement statement)
        {
            this.login = login;
            this.statement = statement;
        }

        /** Cassandra warns of a statement without a keyspace of its own, on a connection in another one. */
        boolean isWithoutWarning()
        {
            return statement.connectionKeyspace == null || statement.connectionKeyspace.equals(login.key.keyspace);
        }

        @Override
        public boolean equals(Object other)
        {
            return other instanceof Request && login == ((Request) other).login && statement == ((Request) other).statement;
        }

        @Override
        public int hashCode()
        {
            return Objects.hash(System.identityHashCode(login), System.identityHashCode(statement));
        }
    }
}
