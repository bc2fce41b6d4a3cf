/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

/** A node that is killed, as its peers see it. */
final class DeadNode
{
    private static final Duration BOUND = Duration.ofSeconds(90);

    private DeadNode()
    {
    }

    /** Kills a node and waits until another sends it no more reads. */
    static void kill(Node dying, Node witness)
    {
        dying.killNine();
        awaitDown(dying, witness);
    }

    static void awaitDown(Node dead, Node witness)
    {
        long deadlineNanos = System.nanoTime() + BOUND.toNanos();
        String address = dead.address();
        while (witness.nodetool("status").success().lines().noneMatch(line -> line.startsWith("D") && line.contains(" " + address + " ")))
        {
            if (System.nanoTime() > deadlineNanos)
                throw new AssertionError(witness.name() + " does not notice that " + dead.name() + " is dead");
            Pause.millis(500);
        }
    }
}
