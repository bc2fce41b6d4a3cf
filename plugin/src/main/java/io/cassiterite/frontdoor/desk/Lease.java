/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Set;
import java.util.function.Supplier;

/**
 * The door's right to answer at all. It ends by itself if nobody renews it, as when the JVM stands still. Whoever has
 * changed what a gate depends on calls {@link #check} before telling anybody: a check that did not see the change has
 * ended by then. Thread-safe.
 */
final class Lease
{
    static final int MILLIS = 2_000;

    private final NativeDoor door;
    private final Supplier<Set<NodeGate>> gates;

    private boolean runs;
    private boolean held;
    private Set<NodeGate> closed = Set.of();

    Lease(NativeDoor door, Supplier<Set<NodeGate>> gates)
    {
        this.door = door;
        this.gates = gates;
    }

    synchronized void start()
    {
        runs = true;
    }

    /** Renews the lease, or ends it. */
    synchronized void check()
    {
        if (!runs)
            return;
        try
        {
            closed = gates.get();
        }
        catch (RuntimeException | Error e)
        {
            end();
            throw e;
        }
        if (closed.isEmpty())
            renew();
        else
            end();
    }

    /** Ends the lease until the next check: what else the door has may be wrong. */
    synchronized void suspend()
    {
        end();
    }

    private void renew()
    {
        held = true;
        door.renew(MILLIS);
    }

    private void end()
    {
        if (held)
            door.shut();
        held = false;
    }

    synchronized void stop()
    {
        runs = false;
        closed = Set.of();
        end();
    }

    synchronized boolean isHeld()
    {
        return held;
    }

    /** The gates that were closed at the last check. */
    synchronized Set<NodeGate> closed()
    {
        return closed;
    }
}
