/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import org.slf4j.LoggerFactory;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.NoSpamLogger;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;

/**
 * The tables that recipes or other nodes read: open while no gate of theirs is closed. Whoever has changed what a gate depends on calls
 * {@link #close} before telling anybody. An opening that did not see the change has ended by then, and a later one sees it.
 * Thread-safe.
 */
final class OpenTables
{
    /** As many as the door has recipes. */
    static final int MAX_OF_OTHERS = 10_000;

    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(LoggerFactory.getLogger(OpenTables.class), 10, TimeUnit.MINUTES);

    private final BiConsumer<Table, byte[]> open;
    private final Consumer<byte[]> close;
    private final Function<TableId, TableState> states;
    /** Of each wanted table, how the door has it. */
    private final Map<TableId, TableState> tables = new LinkedHashMap<>();
    /** Those that could not be looked at or opened the last time. */
    private final Set<TableId> failed = new HashSet<>();
    private final Set<TableId> ofRecipes = new HashSet<>();
    /** Until when other nodes are thought to read tables, by the clock of whoever tells. */
    private final Map<TableId, Long> ofOthers = new HashMap<>();

    /** @param states answers at once, with what is true at this moment */
    OpenTables(NativeDoor door, Function<TableId, TableState> states)
    {
        this(door::openTable, door::closeTable, states);
    }

    /**
     * @param open  opens the door to a generation of a table
     * @param close closes it to the table with an id
     */
    OpenTables(BiConsumer<Table, byte[]> open, Consumer<byte[]> close, Function<TableId, TableState> states)
    {
        this.open = open;
        this.close = close;
        this.states = states;
    }

    /** A recipe of the table has come. */
    synchronized void want(TableId id)
    {
        ofRecipes.add(id);
        add(id);
    }

    /** There is no recipe of the table any more. */
    synchronized void forget(TableId id)
    {
        ofRecipes.remove(id);
        if (!ofOthers.containsKey(id))
            remove(id);
    }

    /** Another node would read the table. It may name any: one that Cassandra does not have is forgotten. */
    synchronized void wantForOthers(TableId id, long untilNanos)
    {
        if (ofOthers.size() >= MAX_OF_OTHERS && !ofOthers.containsKey(id))
        {
            NO_SPAM.warn("The front door is open for other nodes in {} tables already; their reads of others are left to Cassandra",
                         MAX_OF_OTHERS);
            return;
        }
        ofOthers.put(id, untilNanos);
        add(id);
        if (tables.get(id).closed.contains(TableGate.DROPPED))
            forgetOfOthers(id);
    }

    private void forgetOfOthers(TableId id)
    {
        ofOthers.remove(id);
        if (!ofRecipes.contains(id))
            remove(id);
    }

    /** Other nodes ask again for what they read still. */
    synchronized void forgetOthers(long nowNanos)
    {
        List<TableId> old = new ArrayList<>();
        ofOthers.forEach((id, until) -> {
            if (until - nowNanos < 0)
                old.add(id);
        });
        old.forEach(this::forgetOfOthers);
    }

    private void add(TableId id)
    {
        tables.putIfAbsent(id, TableState.closed(Set.of()));
        refresh(id);
    }

    private void remove(TableId id)
    {
        close(id);
        tables.remove(id);
        failed.remove(id);
    }

    /**
     * Opens and closes what can be. A table whose gates cannot be asked, or which cannot be opened, is closed; that is no
     * concern of whoever has changed something else. Throws only where a table cannot be closed, after the others.
     */
    synchronized void refresh()
    {
        Throwable failure = null;
        for (TableId id : tables.keySet())
            failure = Throwables.perform(failure, () -> refresh(id));
        Throwables.maybeFail(failure);
    }

    private void refresh(TableId id)
    {
        try
        {
            TableState now = states.apply(id);
            if (now.isSameOpening(tables.get(id)))
                return;
            close(id);
            if (now.isOpen())
                open.accept(now.table(), now.spec(id));
            tables.replace(id, now);
            failed.remove(id);
        }
        catch (RuntimeException | Error e)
        {
            close(id);
            tables.replace(id, TableState.closed(Set.of()));
            // It is tried again ten times a second.
            if (failed.add(id))
                BackgroundWork.failed("The front door answers nothing of table " + GateReport.name(id) + ", Cassandra does: it could not" +
                                      " open it, and tries again. After a panic of the engine restart the node", e);
        }
    }

    /** What the table depends on has changed; nothing is answered from the old state when this returns. */
    synchronized void close(TableId id)
    {
        TableState before = tables.get(id);
        if (before == null || !before.isOpen())
            return;
        close.accept(TableSchema.identity(id));
        tables.replace(id, TableState.closed(Set.of()));
    }

    /** The same for all tables that have to do with a change. Throws where one cannot be closed, after the others. */
    synchronized void close(Predicate<TableId> concerned)
    {
        Throwable failure = null;
        for (TableId id : tables.keySet())
            if (concerned.test(id))
                failure = Throwables.perform(failure, () -> close(id));
        Throwables.maybeFail(failure);
    }

    /** Closes all, and wants none. */
    synchronized void clear()
    {
        ofRecipes.clear();
        ofOthers.clear();
        List.copyOf(tables.keySet()).forEach(this::remove);
    }

    /** Those that other nodes read. */
    synchronized Set<TableId> ofOthers()
    {
        return Set.copyOf(ofOthers.keySet());
    }

    /** Of each table that is read, the gates that were closed when it was last looked at. */
    synchronized Map<TableId, Set<TableGate>> closed()
    {
        Map<TableId, Set<TableGate>> closed = new LinkedHashMap<>();
        tables.forEach((id, state) -> closed.put(id, state.closed));
        return closed;
    }
}
