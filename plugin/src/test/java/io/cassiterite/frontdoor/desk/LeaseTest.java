/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LeaseTest
{
    private final FakeDoor door = new FakeDoor();
    private final Set<NodeGate> closed = EnumSet.noneOf(NodeGate.class);
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final Lease lease = new Lease(door, this::gates);

    private Set<NodeGate> gates()
    {
        if (failure.get() != null)
            throw failure.get();
        return EnumSet.copyOf(closed);
    }

    @BeforeEach
    void start()
    {
        lease.start();
    }

    @Test
    void isRenewedWhileNoGateIsClosed()
    {
        lease.check();
        lease.check();
        assertTrue(door.leased);
        assertEquals(2, door.renewals);
    }

    @Test
    void aGateThatClosesEndsItAtOnce()
    {
        lease.check();
        closed.add(NodeGate.QUERY_LISTENER);
        lease.check();
        assertFalse(door.leased);
        assertEquals(closed, lease.closed());
    }

    @Test
    void itComesBackWithTheGate()
    {
        closed.add(NodeGate.NOT_NORMAL);
        lease.check();
        assertFalse(door.leased);
        closed.clear();
        lease.check();
        assertTrue(door.leased);
    }

    /** Otherwise the door would go on for the rest of the lease, though nobody knows whether it may. */
    @Test
    void gatesThatCannotBeAskedAreClosed()
    {
        lease.check();
        failure.set(new IllegalStateException("test"));
        assertThrows(IllegalStateException.class, lease::check);
        assertFalse(door.leased);
    }

    /** A check that comes late must not open the door again. */
    @Test
    void nothingRenewsItOnceItHasStopped()
    {
        lease.check();
        lease.stop();
        lease.check();
        assertFalse(door.leased);
        assertEquals(1, door.renewals);
    }

    @Test
    void isNotHeldBeforeTheDeskStarts()
    {
        Lease early = new Lease(door, Set::of);
        early.check();
        assertFalse(door.leased);
    }
}
