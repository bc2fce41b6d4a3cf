/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Pause;

/** Nodes as their peers see them. */
final class Peers
{
    private static final Duration BOUND = Duration.ofSeconds(90);

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
        await("D", dead, witness);
    }

    /**
     * Waits until another node takes this one for alive and at its place, with the same schema: a rebuild before that finds
     * nobody to ask, or nothing to ask for.
     */
    static void awaitUp(Node living, Node witness)
    {
        await("UN", living, witness);
        awaitSameSchema(witness);
    }

    /** Waits until all nodes that are alive have the same schema. */
    static void awaitSameSchema(Node witness)
    {
        long deadlineNanos = System.nanoTime() + BOUND.toNanos();
        while (!knowsOneSchema(witness))
        {
            if (System.nanoTime() > deadlineNanos)
                throw new AssertionError("the nodes do not agree on the schema");
            Pause.millis(500);
        }
    }

    private static boolean knowsOneSchema(Node node)
    {
        return said(node, "describecluster").filter(line -> line.matches("\\s*[0-9a-f-]{36}: \\[.*")).count() == 1;
    }

    /** What nodetool says: nothing of a node that answers CQL but has not started in full, where some of it fails. */
    private static Stream<String> said(Node node, String command)
    {
        Output output = node.nodetool(command);
        return output.exitCode() == 0 ? output.text().lines() : Stream.of();
    }

    private static void await(String state, Node node, Node witness)
    {
        long deadlineNanos = System.nanoTime() + BOUND.toNanos();
        String address = node.address();
        while (said(witness, "status").noneMatch(line -> line.startsWith(state) && line.contains(" " + address + " ")))
        {
            if (System.nanoTime() > deadlineNanos)
                throw new AssertionError(witness.name() + " does not see " + node.name() + " as " + state);
            Pause.millis(500);
        }
    }
}
