/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.function.Predicate;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.Ring;

/** Nodes as their peers see them. */
final class Peers
{
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final int LOOK_MS = 100;

    private Peers()
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
        await("down", ring -> ring.isDown(dead), dead, witness);
    }

    /**
     * Waits until another node takes this one for alive and at its place, with the same schema: a rebuild before that finds
     * nobody to ask, or nothing to ask for.
     */
    static void awaitUp(Node living, Node witness)
    {
        await("up", ring -> ring.isNormal(living), living, witness);
        awaitSameSchema(witness);
    }

    /** Waits until all nodes that are alive have the same schema. */
    static void awaitSameSchema(Node witness)
    {
        long deadlineNanos = System.nanoTime() + BOUND.toNanos();
        while (!Ring.of(witness).hasOneSchema())
        {
            if (System.nanoTime() > deadlineNanos)
                throw new AssertionError("the nodes do not agree on the schema");
            Pause.millis(LOOK_MS);
        }
    }

    private static void await(String state, Predicate<Ring> seen, Node node, Node witness)
    {
        long deadlineNanos = System.nanoTime() + BOUND.toNanos();
        while (!seen.test(Ring.of(witness)))
        {
            if (System.nanoTime() > deadlineNanos)
                throw new AssertionError(witness.name() + " does not see " + node.name() + " as " + state);
            Pause.millis(LOOK_MS);
        }
    }
}
