/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

class LoginsTest
{
    private final FakeDoor door = new FakeDoor();
    private final Logins logins = new Logins(door);

    private Login admit(long number, String role, String address)
    {
        return logins.admit(number, new FakeConnection(role, address));
    }

    @Test
    void aRoleAtAnAddressIsOneLogin()
    {
        assertSame(admit(1, "reader", "10.0.0.1"), admit(2, "reader", "10.0.0.1"));
        assertEquals(Map.of(1L, 1, 2L, 1), door.admitted);
    }

    /** F1: CIDR permissions depend on the address. */
    @Test
    void aRoleAtAnotherAddressIsAnother()
    {
        assertNotEquals(admit(1, "reader", "10.0.0.1").number, admit(2, "reader", "10.0.0.2").number);
    }

    @Test
    void anotherRoleIsAnother()
    {
        assertNotEquals(admit(1, "reader", "10.0.0.1").number, admit(2, "writer", "10.0.0.1").number);
    }

    @Test
    void theKeyspaceIsPartOfTheLogin()
    {
        FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
        int nowhere = logins.admit(1, connection).number;
        connection.keyspace = "shop";
        assertNotEquals(nowhere, logins.admit(1, connection).number);
    }

    /** The door drops the admission when it sees the result of USE; one that comes late must not be the old one. */
    @Test
    void aUseDuringTheAdmissionIsNotMissed()
    {
        FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
        door.onAdmission = () -> connection.keyspace = "shop";
        int before = logins.admit(1, connection).number;
        logins.review(number -> connection);
        assertNotEquals(before, door.admitted.get(1L));
        assertEquals("shop", logins.of(Set.of(1L)).iterator().next().key.keyspace);
    }

    /** F12: the door must not answer before Cassandra has said READY or AUTH_SUCCESS. */
    @Test
    void nobodyIsAdmittedBeforeTheLogin()
    {
        FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
        connection.loggedIn = false;
        assertNull(logins.admit(1, connection));
        assertEquals(Map.of(), door.admitted);
    }

    @Test
    void aClosedConnectionIsNotAdmitted()
    {
        FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
        connection.open = false;
        assertNull(logins.admit(1, connection));
    }

    /** F10: the door may still have grants of the old number. */
    @Test
    void numbersAreNotUsedAgain()
    {
        FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
        int first = logins.admit(1, connection).number;
        connection.open = false;
        logins.review(number -> null);
        assertEquals(0, logins.count());
        assertNotEquals(first, admit(2, "reader", "10.0.0.1").number);
    }

    @Test
    void nothingIsKeptOfConnectionsThatHaveClosedBesideOneThatHasNot()
    {
        FakeConnection open = new FakeConnection("reader", "10.0.0.1");
        Login login = logins.admit(1, open);
        for (int number = 2; number < 100; number++)
        {
            FakeConnection closing = new FakeConnection("reader", "10.0.0.1");
            assertSame(login, logins.admit(number, closing));
            closing.open = false;
        }
        logins.review(number -> number == 1 ? open : null);
        assertEquals(1, login.count());
        assertSame(open, login.connection());
    }

    @Test
    void findsTheLoginsOfConnections()
    {
        FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
        Login login = logins.admit(1, connection);
        assertEquals(Set.of(login), logins.of(Set.of(1L, 2L)));
    }

    /** Netty serves it: it must cost nothing here until it comes back, and its login ends with the last of them. */
    @Test
    void aConnectionThatHasLeftTheDoorIsNotLookedAt()
    {
        FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
        Login login = logins.admit(1, connection);
        logins.review(number -> null);
        connection.looks = 0;
        logins.review(number -> null);
        assertEquals(0, connection.looks);
        assertNull(login.connection());
        assertEquals(0, logins.count());
        assertNotEquals(login.number, logins.admit(1, connection).number);
    }
}
