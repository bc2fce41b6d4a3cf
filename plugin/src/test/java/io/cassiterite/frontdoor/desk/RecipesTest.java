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

class RecipesTest
{
    private final TableId orders = TableId.generate();
    private final FakeDoor door = new FakeDoor();
    private final FakeStatements statements = new FakeStatements();
    private long now = 1_000_000_000_000L;
    private final Table table = EngineTestAccess.table("shop.orders");
    private final OpenTables tables = new OpenTables(door, id -> TableState.open(table, RingRangesTest.ALONE, 1));
    private final Grants grants = new Grants(door, (connection, statement) -> true, Runnable::run, () -> true, () -> now);
    private final Recipes recipes = new Recipes(door, statements, tables, grants, () -> now);

    private final MD5Digest a = statements.prepare('a', orders);

    private boolean has(MD5Digest id)
    {
        return door.recipes.containsKey(id);
    }

    private static boolean concerns(Statement statement)
    {
        return true;
    }

    @Test
    void aSuitableStatementGetsARecipeAndOpensItsTable()
    {
        assertNotNull(recipes.want(a));
        assertTrue(has(a));
        assertEquals(Set.of(orders), door.open.keySet());
        assertEquals(Set.of("shop"), recipes.keyspaces());
    }

    @Test
    void anUnsuitableStatementIsRefused()
    {
        statements.unsuitable.add(a);
        assertNull(recipes.want(a));
        assertEquals(Set.of(a), door.refused);
    }

    /** The door would keep connections that only write for the sake of its recipe. */
    @Test
    void whereThereAreTooManyRecipesWritesAreRefusedStill()
    {
        for (int i = 0; i < Recipes.MAX_RECIPES; i++)
            recipes.want(statements.prepare(MD5Digest.compute(Integer.toString(i)), orders));
        assertNull(recipes.want(a));
        assertEquals(Set.of(), door.refused, "it may get a recipe when others are gone");
        statements.tables.remove(statements.prepared.get(a));
        assertNull(recipes.want(a));
        assertEquals(Set.of(a), door.refused);
    }

    @Test
    void anythingButASelectIsRefused()
    {
        statements.tables.clear();
        assertNull(recipes.want(a));
        assertEquals(Set.of(a), door.refused);
    }

    /** UNPREPARED is Cassandra's to say. */
    @Test
    void whatCassandraDoesNotHaveIsNeitherLearnedNorRefused()
    {
        assertNull(recipes.want(FakeDoor.id('z')));
        assertEquals(List.of(), door.calls);
        assertEquals(Set.of(), door.refused);
    }

    @Test
    void aRecipeIsLearnedOnce()
    {
        Statement first = recipes.want(a);
        assertSame(first, recipes.want(a));
        assertEquals(1, door.calls.stream().filter("put a"::equals).count());
    }

    /** F15: a schema change is acknowledged only when no recipe of before can answer. */
    @Test
    void aSchemaChangeDropsTheRecipesOfTheTable()
    {
        MD5Digest b = statements.prepare('b', TableId.generate());
        recipes.want(a);
        recipes.want(b);
        recipes.schemaChanged(statement -> statement.table.equals(orders));
        assertEquals(Set.of(b), door.recipes.keySet());
        assertEquals(1, door.open.size());
    }

    /** F15: else a recipe that was learned from the old schema would come after the change. */
    @Test
    void whatWasLearnedUnderAnOlderSchemaDoesNotCount()
    {
        statements.meanwhile = () -> recipes.schemaChanged(RecipesTest::concerns);
        assertNull(recipes.want(a));
        assertEquals(Set.of(), door.recipes.keySet());
        statements.meanwhile = () -> {};
        assertNotNull(recipes.want(a));
    }

    @Test
    void aRefusalUnderAnOlderSchemaDoesNotCountEither()
    {
        statements.unsuitable.add(a);
        statements.meanwhile = () -> recipes.schemaChanged(RecipesTest::concerns);
        recipes.want(a);
        assertEquals(Set.of(), door.refused);
    }

    @Test
    void aSchemaChangeForgetsRefusals()
    {
        statements.unsuitable.add(a);
        recipes.want(a);
        recipes.schemaChanged(statement -> false);
        assertEquals(Set.of(), door.refused);
    }

    /** F24: else clients would get answers to a statement that Cassandra would call unprepared. */
    @Test
    void theEvictedStatementLosesItsRecipe()
    {
        recipes.want(a);
        statements.prepared.remove(a);
        recipes.compareWithCassandra();
        assertEquals(Set.of(), door.recipes.keySet());
        assertEquals(Set.of(), door.open.keySet());
    }

    /** F15: the same id may mean another table, or other columns. */
    @Test
    void theStatementThatWasPreparedAnewLosesItsOldRecipe()
    {
        recipes.want(a);
        statements.prepare('a', TableId.generate());
        recipes.compareWithCassandra();
        assertEquals(Set.of(), door.recipes.keySet());
    }

    @Test
    void theStatementThatWasPreparedAnewGetsANewRecipe()
    {
        Statement old = recipes.want(a);
        TableId other = TableId.generate();
        statements.prepare('a', other);
        Statement now = recipes.want(a);
        assertTrue(now != old && has(a));
        assertEquals(Set.of(other), door.open.keySet());
    }

    /** F24: Cassandra never sees native hits, so hot statements look cold to it. */
    @Test
    void statementsInUseStayHotInCassandra()
    {
        recipes.want(a);
        recipes.compareWithCassandra();
        statements.found.clear();
        recipes.compareWithCassandra();
        assertEquals(List.of(), statements.found);
        recipes.used(Map.of(a, new Served.Executions(7, 1)));
        recipes.compareWithCassandra();
        assertEquals(List.of("a"), statements.found);
    }

    @Test
    void recipesThatNobodyUsesAreDropped()
    {
        recipes.want(a);
        now += Recipes.IDLE_NANOS;
        recipes.compareWithCassandra();
        assertTrue(has(a));
        now++;
        recipes.compareWithCassandra();
        assertEquals(Set.of(), door.recipes.keySet());
    }

    /** A pair that was granted for the statement of before must not hold for the one that follows. */
    @Test
    void aDroppedRecipeTakesItsGrantsAlongFirst()
    {
        Statement statement = recipes.want(a);
        grants.want(new Logins(door).admit(1, new FakeConnection("reader", "10.0.0.1")), statement);
        grants.decide();
        assertEquals(Set.of("1:a"), door.grants);
        recipes.schemaChanged(RecipesTest::concerns);
        assertEquals(Set.of(), door.grants);
        assertTrue(door.calls.indexOf("grants 0") < door.calls.indexOf("drop a"));
    }

    @Test
    void clearingLeavesNothing()
    {
        recipes.want(a);
        recipes.clear();
        assertEquals(Set.of(), door.recipes.keySet());
        assertEquals(Set.of(), door.open.keySet());
        assertEquals(0, recipes.count());
    }
}
