/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class OpenTablesTest
{
    private final TableId id = TableId.generate();
    private final FakeDoor door = new FakeDoor();
    private final Table first = EngineTestAccess.table("shop.orders");
    private final Table second = EngineTestAccess.table("shop.orders");
    private TableState state = TableState.open(first, RingRangesTest.ALONE, 500);
    private final OpenTables tables = new OpenTables(door, ignored -> {
        if (state == null)
            throw new IllegalStateException("test");
        return state;
    });

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    @Test
    void onlyTablesWithRecipesAreOpened()
    {
        tables.refresh();
        assertEquals(Map.of(), door.open);
        tables.want(id);
        assertSame(first, door.open.get(id));
    }

    @Test
    void aClosedGateClosesTheTable()
    {
        tables.want(id);
        state = TableState.closed(Set.of(TableGate.SSTABLES));
        tables.refresh();
        assertEquals(Map.of(), door.open);
        assertEquals(Map.of(id, Set.of(TableGate.SSTABLES)), tables.closed());
    }

    /** F4: a pushed change closes, whatever the gates say; only a later look opens. */
    @Test
    void aChangeClosesAtOnceAndALaterLookOpens()
    {
        tables.want(id);
        tables.close(id);
        assertEquals(Map.of(), door.open);
        tables.refresh();
        assertSame(first, door.open.get(id));
    }

    /** F8: after TRUNCATE the new generation answers, never the old one. */
    @Test
    void anotherGenerationIsAnotherOpening()
    {
        tables.want(id);
        state = TableState.open(second, RingRangesTest.ALONE, 500);
        tables.refresh();
        assertSame(second, door.open.get(id));
        assertEquals(List.of("open " + id, "close " + id, "open " + id), door.calls);
    }

    /** F3: with other ranges the old opening ends before the new one begins. */
    @Test
    void otherRangesAreAnotherOpening()
    {
        tables.want(id);
        state = TableState.open(first, RingRangesTest.NOTHING, 500);
        tables.refresh();
        assertEquals(List.of("open " + id, "close " + id, "open " + id), door.calls);
    }

    @Test
    void anotherTombstoneLimitIsAnotherOpening()
    {
        tables.want(id);
        state = TableState.open(first, RingRangesTest.ALONE, 10);
        tables.refresh();
        assertEquals(List.of("open " + id, "close " + id, "open " + id), door.calls);
    }

    @Test
    void nothingHappensWhileNothingChanges()
    {
        tables.want(id);
        state = TableState.open(first, RingRangesTest.ALONE, 500);
        tables.refresh();
        tables.want(id);
        assertEquals(List.of("open " + id), door.calls);
    }

    @Test
    void gatesThatCannotBeAskedAreClosed()
    {
        tables.want(id);
        state = null;
        tables.refresh();
        assertEquals(Map.of(), door.open);
    }

    @Test
    void aTableThatOtherNodesReadIsOpenUntilTheyAskNoMore()
    {
        tables.wantForOthers(id, 100);
        assertSame(first, door.open.get(id));
        assertEquals(Set.of(id), tables.ofOthers());
        tables.forgetOthers(100);
        assertSame(first, door.open.get(id));
        tables.forgetOthers(101);
        assertEquals(Map.of(), door.open);
        assertEquals(Set.of(), tables.ofOthers());
    }

    @Test
    void aTableIsOpenWhileRecipesOrOtherNodesReadIt()
    {
        tables.want(id);
        tables.wantForOthers(id, 100);
        tables.forget(id);
        assertSame(first, door.open.get(id));
        tables.want(id);
        tables.forgetOthers(101);
        assertSame(first, door.open.get(id));
        tables.forget(id);
        assertEquals(Map.of(), door.open);
    }

    /** A member that names tables without end must not fill the desk, which looks at all of them ten times a second. */
    @Test
    void whatOtherNodesReadIsNoneThatCassandraDoesNotHave()
    {
        state = TableState.closed(Set.of(TableGate.DROPPED));
        tables.wantForOthers(id, 100);
        assertEquals(Set.of(), tables.ofOthers());
        assertEquals(Map.of(), tables.closed());

        tables.want(id);
        tables.wantForOthers(id, 100);
        assertEquals(Set.of(), tables.ofOthers());
        assertEquals(Set.of(id), tables.closed().keySet(), "it is still one of recipes");
    }

    @Test
    void aTableThatCassandraHasNoMoreIsNoneThatOtherNodesRead()
    {
        tables.wantForOthers(id, 100);
        state = TableState.closed(Set.of(TableGate.DROPPED));
        tables.wantForOthers(id, 200);
        assertEquals(Map.of(), tables.closed());
        assertEquals(Map.of(), door.open);
    }

    @Test
    void otherNodesReadSoManyTablesAtOnce()
    {
        state = TableState.closed(Set.of(TableGate.SSTABLES));
        tables.wantForOthers(id, 100);
        for (int i = 0; i < OpenTables.MAX_OF_OTHERS; i++)
            tables.wantForOthers(TableId.generate(), 100);
        assertEquals(OpenTables.MAX_OF_OTHERS, tables.ofOthers().size());
        assertEquals(OpenTables.MAX_OF_OTHERS, tables.closed().size());
        tables.wantForOthers(id, 200);
        tables.forgetOthers(101);
        assertEquals(Set.of(id), tables.ofOthers(), "those that are there are read on");
    }

    /** F6: with another layout or grace the old opening ends before the new one begins. */
    @Test
    void anotherLayoutIsAnotherOpening()
    {
        RingReplicas replicas = RingReplicasTest.ALONE;
        state = TableState.open(first, RingRangesTest.ALONE, 500, new Comparing(10, new byte[]{ 1 }, replicas));
        tables.want(id);
        state = TableState.open(first, RingRangesTest.ALONE, 500, new Comparing(10, new byte[]{ 1 }, replicas));
        tables.refresh();
        assertEquals(List.of("open " + id), door.calls);
        Comparing layout = new Comparing(10, new byte[]{ 2 }, replicas);
        Comparing grace = new Comparing(9, new byte[]{ 2 }, replicas);
        for (Comparing other : Arrays.asList(layout, grace, null))
        {
            door.calls.clear();
            state = TableState.open(first, RingRangesTest.ALONE, 500, other);
            tables.refresh();
            assertEquals(List.of("close " + id, "open " + id), door.calls);
        }
    }

    /** As after a panic of the engine: what asks for a refresh, such as disablebinary, has nothing to do with it. */
    @Test
    void aTableThatCannotBeOpenedStaysClosed()
    {
        door.unopenable.add(id);
        tables.want(id);
        tables.refresh();
        assertEquals(Map.of(), door.open);

        door.unopenable.clear();
        tables.refresh();
        assertSame(first, door.open.get(id));
    }

    @Test
    void aTableThatCannotBeOpenedAnewDoesNotKeepItsFormerOpening()
    {
        TableId other = TableId.generate();
        tables.want(id);
        tables.want(other);
        door.unopenable.add(id);
        state = TableState.open(second, RingRangesTest.ALONE, 500);
        tables.refresh();
        assertEquals(Map.of(other, second), door.open);
    }

    /** Whoever has changed something must not believe that the door knows. */
    @Test
    void aTableThatCannotBeClosedIsNoSecret()
    {
        TableId other = TableId.generate();
        tables.want(id);
        tables.want(other);
        door.unclosable.add(id);
        state = TableState.closed(Set.of(TableGate.SSTABLES));
        assertThrows(IllegalStateException.class, tables::refresh);
        assertEquals(Set.of(id), door.open.keySet());

        door.unclosable.clear();
        tables.refresh();
        assertEquals(Map.of(), door.open);
    }

    /** Else one table could keep the others open for ever. */
    @Test
    void aTableThatCannotBeAskedDoesNotKeepOthersOpen()
    {
        TableId other = TableId.generate();
        OpenTables both = new OpenTables(door, asked -> {
            if (asked.equals(id) && state == null)
                throw new IllegalStateException("test");
            return state == null ? TableState.closed(Set.of(TableGate.SAMPLER)) : state;
        });
        both.want(id);
        both.want(other);
        state = null;
        both.refresh();
        assertEquals(Map.of(), door.open);
    }

    @Test
    void aForgottenTableIsClosedAndStaysSo()
    {
        tables.want(id);
        tables.forget(id);
        tables.refresh();
        assertEquals(Map.of(), door.open);
    }
}
