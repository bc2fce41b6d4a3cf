/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DeskTest
{
    private final FakeDoor door = new FakeDoor();
    private long now = 1_000_000_000_000L;
    private final Grants grants = new Grants(door, (asking, statement) -> true, Runnable::run, () -> true, () -> now);
    private final OpenTables tables = new OpenTables(door, ignored -> TableState.closed(Set.of()));
    private final Lease lease = new Lease(door, Set::of);
    private final Table table = EngineTestAccess.table("shop.orders");

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    /** F11: another node may have revoked the grant while this JVM stood still, and the lease has ended. */
    @Test
    void aLongSafepointRevivesNoGrant()
    {
        lease.start();
        Login reader = new Logins(door).admit(1, new FakeConnection("reader", "10.0.0.1"));
        grants.want(reader, new Statement(FakeDoor.id('a'), TableId.generate(), "shop", null, "SELECT", new Object()));
        grants.decide();
        Desk.look(lease, grants, tables);
        assertTrue(door.leased);
        assertEquals(Set.of("1:a"), door.grants);

        now += Decisions.FRESH_NANOS + 1;
        door.onRenewal = () -> assertEquals(Set.of(), door.grants);
        Desk.look(lease, grants, tables);
    }

    /** F11: what could not be withdrawn must not be answered from. */
    @Test
    void grantsThatCannotBeWithdrawnEndTheLease()
    {
        lease.start();
        Login reader = new Logins(door).admit(1, new FakeConnection("reader", "10.0.0.1"));
        grants.want(reader, new Statement(FakeDoor.id('a'), TableId.generate(), "shop", null, "SELECT", new Object()));
        Desk.look(lease, grants, tables);
        assertTrue(door.leased);

        door.onGrants = () -> {
            throw new IllegalStateException("test");
        };
        now += Decisions.FRESH_NANOS + 1;
        assertThrows(IllegalStateException.class, () -> Desk.look(lease, grants, tables));
        assertFalse(door.leased);

        door.onGrants = () -> {};
        Desk.look(lease, grants, tables);
        assertTrue(door.leased);
        assertEquals(Set.of(), door.grants);
    }

    /** A table that can never be looked at is closed; the door answers from the others. */
    @Test
    void aTableWhoseStateCannotBeAskedEndsNoLease()
    {
        OpenTables failing = new OpenTables(door, ignored -> {
            throw new IllegalStateException("test");
        });
        failing.want(TableId.generate());
        lease.start();
        for (int round = 0; round < 3; round++)
        {
            Desk.look(lease, grants, failing);
            assertTrue(door.leased);
        }
    }

    /**
     * A recipe of after the change that met a table as it was before would pass on all reads of several replicas, as long as it
     * lives. The clerk may learn one as soon as those of before are gone.
     */
    @Test
    void tablesAreClosedBeforeRecipesOfANewSchemaCanCome()
    {
        TableId orders = TableId.generate();
        OpenTables opened = new OpenTables(door, ignored -> TableState.open(table, RingRangesTest.ALONE, 1));
        FakeStatements statements = new FakeStatements();
        Recipes recipes = new Recipes(door, statements, opened, grants, () -> now);
        opened.wantForOthers(orders, Long.MAX_VALUE);
        recipes.want(statements.prepare('a', orders));
        door.calls.clear();
        Desk.schemaChanged(new SchemaWatch.Change("shop", orders), recipes, opened);
        assertEquals(List.of("close " + orders, "drop a", "open " + orders), door.calls);

        door.calls.clear();
        Desk.schemaChanged(new SchemaWatch.Change("shop", TableId.generate()), recipes, opened);
        assertEquals(List.of(), door.calls);
    }
}
