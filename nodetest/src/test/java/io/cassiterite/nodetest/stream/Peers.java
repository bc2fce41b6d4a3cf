/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.function.Predicate;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Ring;

/** Nodes as their peers see them. */
public final class Peers
{
    private static final Duration BOUND = Duration.ofSeconds(240);

    private Peers()
    {
    }

    /** Kills a node and waits until another sends it no more reads. */
    public static void kill(Node dying, Node observer)
    {
        dying.killNine();
        awaitDown(dying, observer);
    }

    static void awaitDown(Node dead, Node observer)
    {
        await("down", ring -> ring.isDown(dead), dead, observer);
    }

    /**
     * Waits until another node sees this one as up and normal, with the same schema: an earlier rebuild finds no
     * source, or no ranges to request.
     */
    public static void awaitUp(Node living, Node observer)
    {
        await("up", ring -> ring.isNormal(living), living, observer);
        awaitSameSchema(observer);
    }

    /** Waits until all nodes that are alive have the same schema. */
    static void awaitSameSchema(Node observer)
    {
        Await.until("the nodes agree on the schema", BOUND, () -> Ring.of(observer).hasOneSchema());
    }

    private static void await(String state, Predicate<Ring> seen, Node node, Node observer)
    {
        Await.until(observer.name() + " sees " + node.name() + " as " + state, BOUND, () -> seen.test(Ring.of(observer)));
    }
}
