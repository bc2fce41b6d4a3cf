/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Ring;

/**
 * The other nodes of a frame oracle, which have what its node has, and how its requests see them: -Doracle.replicas=3. What is
 * written is on all of them before anybody reads. Without them, one replica answers.
 */
final class Replicas implements AutoCloseable
{
    static final int COUNT = Integer.getInteger("oracle.replicas", 1);

    private static final int ONE = 1;
    private static final int ALL = 5;
    /** TWO, THREE, QUORUM, ALL, LOCAL_QUORUM, and those of one replica. */
    private static final int[] OF_SEVERAL = { 2, 3, 4, 5, 6, 6, 6, 1, 10 };
    private static final Duration BOUND = Duration.ofSeconds(120);

    private final Node first;
    private final List<Node> others = new ArrayList<>();

    private Replicas(Node first)
    {
        this.first = first;
    }

    /** Starts what others the oracle's node is to have. */
    static Replicas of(Node first, String mode)
    {
        Replicas replicas = new Replicas(first);
        for (int i = 1; i < COUNT; i++)
            replicas.join(i, mode);
        return replicas;
    }

    private void join(int number, String mode)
    {
        others.add(FrameOracle.node(first.name() + '-' + number, mode).address("127.0.0." + (number + 1)).joining(first).start());
        List<Node> all = new ArrayList<>(others);
        all.add(first);
        for (Node node : all)
            Await.until(node.name() + " sees " + all.size(), BOUND, () -> Ring.of(node).normal() == all.size());
    }

    /** What a request asks for that says nothing else. */
    static int consistency()
    {
        return COUNT == 1 ? ONE : ALL;
    }

    /** @return levels of reads that are no odd ones, by how often they are drawn */
    static int[] consistencies(int[] ofOne)
    {
        return COUNT == 1 ? ofOne : OF_SEVERAL;
    }

    /** Waits until all of them have the schema of the first. */
    void agree()
    {
        if (!others.isEmpty())
            Await.until("one schema", BOUND, () -> Ring.of(first).hasOneSchema());
    }

    @Override
    public void close()
    {
        others.forEach(Node::close);
    }
}
