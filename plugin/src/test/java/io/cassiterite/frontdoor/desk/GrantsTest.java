/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.schema.TableId;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;

class GrantsTest
{
    private static final TableId ORDERS = TableId.generate();
    private static final TableId ITEMS = TableId.generate();

    private final FakeDoor door = new FakeDoor();
    private final Set<String> forbidden = new HashSet<>();
    private boolean olderProtocols = true;
    private int questions;
    private long now = 1_000_000_000_000L;
    private final Grants grants = new Grants(door, this::allows, Runnable::run, () -> olderProtocols, () -> now);
    private final Logins logins = new Logins(door);

    private final FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
    private final Login reader = logins.admit(1, connection);
    private final Statement orders = statement('a', ORDERS);

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    private boolean allows(ClientConnection asking, Statement statement)
    {
        questions++;
        return !forbidden.contains(asking.role());
    }

    private static Statement statement(char id, TableId table)
    {
        return new Statement(FakeDoor.id(id), table, "shop", null, "SELECT", new Object());
    }

    private void wantAndDecide(Login login, Statement statement)
    {
        grants.want(login, statement);
        grants.decide();
    }

    @Test
    void thePairThatCassandraAllowsIsGranted()
    {
        wantAndDecide(reader, orders);
        assertEquals(Set.of("1:a"), door.grants);
    }

    @Test
    void theDeniedPairIsNotGrantedAndNotForgotten()
    {
        forbidden.add("reader");
        wantAndDecide(reader, orders);
        assertEquals(Set.of(), door.grants);
        forbidden.clear();
        grants.decide();
        assertEquals(Set.of("1:a"), door.grants);
    }

    /** F11: REVOKE, DROP ROLE or a change of CIDR groups counts with the next round. */
    @Test
    void aRevokedPairIsWithdrawn()
    {
        wantAndDecide(reader, orders);
        forbidden.add("reader");
        grants.decide();
        assertEquals(Set.of(), door.grants);
    }

    /** A role that is revoked while another node's permissions are awaited must not keep its grant for so long. */
    @Test
    void decisionsThatNobodyRenewsAreWithdrawn()
    {
        wantAndDecide(reader, orders);
        now += Decisions.FRESH_NANOS;
        grants.expire();
        assertEquals(Set.of("1:a"), door.grants);
        now++;
        grants.expire();
        assertEquals(Set.of(), door.grants);
        grants.decide();
        assertEquals(Set.of("1:a"), door.grants);
    }

    @Test
    void aRoundThatTookTooLongGrantsNothing()
    {
        Grants slow = new Grants(door, (asking, statement) -> {
            now += Decisions.FRESH_NANOS + 1;
            return true;
        }, Runnable::run, () -> true, () -> now);
        slow.want(reader, orders);
        slow.decide();
        assertEquals(Set.of(), door.grants);
    }

    @Test
    void thePairThatCameBetweenRoundsIsGrantedWithoutWaiting()
    {
        grants.decide();
        grants.want(reader, orders);
        grants.publish();
        assertEquals(Set.of("1:a"), door.grants);
    }

    /** F10, F12: a closed connection's login ends with it. */
    @Test
    void aLoginWithoutConnectionsHasNoGrants()
    {
        wantAndDecide(reader, orders);
        connection.open = false;
        grants.decide();
        assertEquals(Set.of(), door.grants);
    }

    @Test
    void aLoginOutlivesOneOfItsConnections()
    {
        Login same = logins.admit(2, new FakeConnection("reader", "10.0.0.1"));
        wantAndDecide(same, orders);
        connection.open = false;
        grants.decide();
        assertEquals(Set.of("1:a"), door.grants);
    }

    /** F15: a table of the same name has the same statement id, and may have other permissions. */
    @Test
    void aStatementThatIsGoneTakesItsGrantsAlong()
    {
        wantAndDecide(reader, orders);
        grants.forget(Set.of(orders));
        assertEquals(Set.of(), door.grants);
        grants.decide();
        assertEquals(Set.of(), door.grants);
    }

    /** disableoldprotocolversions: Cassandra refuses every request of an older version from then on. */
    @Test
    void olderProtocolsAreWithdrawnTogether()
    {
        FakeConnection old = new FakeConnection("reader", "10.0.0.1");
        old.olderProtocol = true;
        grants.want(logins.admit(3, old), orders);
        wantAndDecide(reader, orders);
        assertEquals(Set.of("1:a", "2:a"), door.grants);
        olderProtocols = false;
        grants.expire();
        assertEquals(Set.of("1:a"), door.grants);
    }

    /** Cassandra answers it with a warning, which it words. */
    @Test
    void aStatementWithoutAKeyspaceIsGrantedInItsOwnOnly()
    {
        Statement unqualified = new Statement(FakeDoor.id('u'), ORDERS, "shop", "shop", "SELECT", new Object());
        FakeConnection inShop = new FakeConnection("reader", "10.0.0.1");
        inShop.keyspace = "shop";
        FakeConnection inBank = new FakeConnection("reader", "10.0.0.1");
        inBank.keyspace = "bank";
        grants.want(reader, unqualified);
        grants.want(logins.admit(4, inBank), unqualified);
        wantAndDecide(logins.admit(3, inShop), unqualified);
        assertEquals(Set.of(door.admitted.get(3L) + ":u"), door.grants);
        grants.want(logins.admit(4, inBank), orders);
        grants.publish();
        assertEquals(2, door.grants.size());
    }

    /** The connection goes on as another login. */
    @Test
    void aLoginThatAllHaveLeftByUseHasNoGrants()
    {
        wantAndDecide(reader, orders);
        connection.keyspace = "bank";
        grants.decide();
        assertEquals(Set.of(), door.grants);
    }

    @Test
    void pairsThatNobodyUsesAreDropped()
    {
        Statement items = statement('b', ITEMS);
        grants.want(reader, items);
        wantAndDecide(reader, orders);
        now += Grants.IDLE_NANOS;
        grants.used(Set.of(reader), Set.of(orders));
        now++;
        grants.decide();
        assertEquals(Set.of("1:a"), door.grants);
    }

    /** A round costs a question per login and table, not per statement. */
    @Test
    void statementsOfOneTableAreDecidedTogether()
    {
        grants.want(reader, orders);
        grants.want(reader, statement('b', ORDERS));
        grants.want(reader, statement('c', ITEMS));
        questions = 0;
        grants.decide();
        assertEquals(2, questions);
        assertEquals(Set.of("1:a", "1:b", "1:c"), door.grants);
    }

    @Test
    void theDoorIsNotToldWhatItKnows()
    {
        wantAndDecide(reader, orders);
        int calls = door.calls.size();
        grants.decide();
        assertEquals(calls, door.calls.size());
    }
}
