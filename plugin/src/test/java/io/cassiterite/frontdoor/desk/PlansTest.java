/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MD5Digest;

import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.Table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PlansTest
{
    private final TableId orders = TableId.generate();
    private final FakeDoor door = new FakeDoor();
    private final FakeStatements statements = new FakeStatements();
    private long now = 1_000_000_000_000L;
    private final Table table = EngineTestAccess.table("shop.orders");
    private final OpenTables tables = new OpenTables(door, id -> TableState.open(table, RingRangesTest.ALONE, 1));
    private final Grants grants = new Grants(door, (connection, statement) -> true, Runnable::run, () -> true, () -> now);
    private final Plans plans = new Plans(door, statements, tables, grants, () -> now);

    private final MD5Digest a = statements.prepare('a', orders);

    private boolean has(MD5Digest id)
    {
        return door.plans.containsKey(id);
    }

    private static boolean concerns(Statement statement)
    {
        return true;
    }

    @Test
    void aSuitableStatementGetsAPlanAndOpensItsTable()
    {
        assertNotNull(plans.want(a));
        assertTrue(has(a));
        assertEquals(Set.of(orders), door.open.keySet());
        assertEquals(Set.of("shop"), plans.keyspaces());
    }

    @Test
    void anUnsuitableStatementIsRefused()
    {
        statements.unsuitable.add(a);
        assertNull(plans.want(a));
        assertEquals(Set.of(a), door.refused);
    }

    /** The door would keep connections that only write for the sake of its plan. */
    @Test
    void whereThereAreTooManyPlansWritesAreRefusedStill()
    {
        for (int i = 0; i < Plans.MAX_PLANS; i++)
            plans.want(statements.prepare(MD5Digest.compute(Integer.toString(i)), orders));
        assertNull(plans.want(a));
        assertEquals(Set.of(), door.refused, "it may get a plan when others are gone");
        statements.tables.remove(statements.prepared.get(a));
        assertNull(plans.want(a));
        assertEquals(Set.of(a), door.refused);
    }

    @Test
    void anythingButASelectIsRefused()
    {
        statements.tables.clear();
        assertNull(plans.want(a));
        assertEquals(Set.of(a), door.refused);
    }

    /** UNPREPARED is Cassandra's to say. */
    @Test
    void whatCassandraDoesNotHaveIsNeitherPlannedNorRefused()
    {
        assertNull(plans.want(FakeDoor.id('z')));
        assertEquals(List.of(), door.calls);
        assertEquals(Set.of(), door.refused);
    }

    @Test
    void aPlanIsLearnedOnce()
    {
        Statement first = plans.want(a);
        assertSame(first, plans.want(a));
        assertEquals(1, door.calls.stream().filter("put a"::equals).count());
    }

    /** F15: a schema change is acknowledged only when no plan of before can answer. */
    @Test
    void aSchemaChangeDropsThePlansOfTheTable()
    {
        MD5Digest b = statements.prepare('b', TableId.generate());
        plans.want(a);
        plans.want(b);
        plans.schemaChanged(statement -> statement.table.equals(orders));
        assertEquals(Set.of(b), door.plans.keySet());
        assertEquals(1, door.open.size());
    }

    /** F15: else a plan that was learned from the old schema would come after the change. */
    @Test
    void whatWasLearnedUnderAnOlderSchemaDoesNotCount()
    {
        statements.meanwhile = () -> plans.schemaChanged(PlansTest::concerns);
        assertNull(plans.want(a));
        assertEquals(Set.of(), door.plans.keySet());
        statements.meanwhile = () -> {};
        assertNotNull(plans.want(a));
    }

    @Test
    void aRefusalUnderAnOlderSchemaDoesNotCountEither()
    {
        statements.unsuitable.add(a);
        statements.meanwhile = () -> plans.schemaChanged(PlansTest::concerns);
        plans.want(a);
        assertEquals(Set.of(), door.refused);
    }

    @Test
    void aSchemaChangeForgetsRefusals()
    {
        statements.unsuitable.add(a);
        plans.want(a);
        plans.schemaChanged(statement -> false);
        assertEquals(Set.of(), door.refused);
    }

    /** F24: else clients would get answers to a statement that Cassandra would call unprepared. */
    @Test
    void theEvictedStatementLosesItsPlan()
    {
        plans.want(a);
        statements.prepared.remove(a);
        plans.compareWithCassandra();
        assertEquals(Set.of(), door.plans.keySet());
        assertEquals(Set.of(), door.open.keySet());
    }

    /** F15: the same id may mean another table, or other columns. */
    @Test
    void theStatementThatWasPreparedAnewLosesItsOldPlan()
    {
        plans.want(a);
        statements.prepare('a', TableId.generate());
        plans.compareWithCassandra();
        assertEquals(Set.of(), door.plans.keySet());
    }

    @Test
    void theStatementThatWasPreparedAnewGetsANewPlan()
    {
        Statement old = plans.want(a);
        TableId other = TableId.generate();
        statements.prepare('a', other);
        Statement now = plans.want(a);
        assertTrue(now != old && has(a));
        assertEquals(Set.of(other), door.open.keySet());
    }

    /** F24: Cassandra never sees native hits, so hot statements look cold to it. */
    @Test
    void statementsInUseStayHotInCassandra()
    {
        plans.want(a);
        plans.compareWithCassandra();
        statements.found.clear();
        plans.compareWithCassandra();
        assertEquals(List.of(), statements.found);
        plans.used(Map.of(a, new Served.Executions(7, 1)));
        plans.compareWithCassandra();
        assertEquals(List.of("a"), statements.found);
    }

    @Test
    void plansThatNobodyUsesAreDropped()
    {
        plans.want(a);
        now += Plans.IDLE_NANOS;
        plans.compareWithCassandra();
        assertTrue(has(a));
        now++;
        plans.compareWithCassandra();
        assertEquals(Set.of(), door.plans.keySet());
    }

    /** A pair that was granted for the statement of before must not hold for the one that follows. */
    @Test
    void aDroppedPlanTakesItsGrantsAlongFirst()
    {
        Statement statement = plans.want(a);
        grants.want(new Logins(door).admit(1, new FakeConnection("reader", "10.0.0.1")), statement);
        grants.decide();
        assertEquals(Set.of("1:a"), door.grants);
        plans.schemaChanged(PlansTest::concerns);
        assertEquals(Set.of(), door.grants);
        assertTrue(door.calls.indexOf("grants 0") < door.calls.indexOf("drop a"));
    }

    @Test
    void clearingLeavesNothing()
    {
        plans.want(a);
        plans.clear();
        assertEquals(Set.of(), door.plans.keySet());
        assertEquals(Set.of(), door.open.keySet());
        assertEquals(0, plans.count());
    }
}
