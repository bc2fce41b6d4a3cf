/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.MoveFaults;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Tables move in and out, and turn half-way, under clients that check every answer; the node is killed at a random moment or at a
 * step of the mover; after the start every acknowledged row is there, none that was deleted is, and the move goes on to its end. All
 * by a seed, but for the moments. {@code make crash-move} does more of them, which takes half a minute each.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class MoveCrashTest
{
    private static final Logger logger = LoggerFactory.getLogger(MoveCrashTest.class);

    private static final String NAME = "movecrash";
    private static final int SEEDS = Integer.getInteger("move.seeds", 2);
    private static final int FIRST_SEED = Integer.getInteger("move.first.seed", 1);
    private static final int KILL_WAIT_MILLIS = 10_000;

    private static final List<String> TABLES = Stream.concat(FilledTables.moving().stream(), Stream.of("ledger", "counts"))
                                                     .collect(Collectors.toList());

    /** Class and method; in the order of what a move does. */
    private static final List<String> STEPS_IN = List.of("MovedChunk receive", "MoveProgress write", "GroupMove awaitSnapshots",
                                                         "MoveProgress remove", "LifecycleTransaction obsoleteOriginals",
                                                         "LifecycleTransaction doCommit");
    private static final List<String> STEPS_OUT = List.of("DepartingRows begin", "Departure write", "UnseenSstables finish",
                                                          "PublishedRound write", "UnseenSstables publish", "Departure awaitReads",
                                                          "DepartingRows forget", "PublishedRound remove", "DepartingRows end");

    private static NodeBuilder node()
    {
        return MoveFaults.on(EnteringNode.engine(NAME).jvm("-Dcassiterite.move_rest_bytes=4000")
                                        .jvm("-Dcassiterite.move_chunk_bytes=1000"));
    }

    private static void direct(Node node, String direction)
    {
        for (String table : TABLES)
            node.direct(FilledTables.KEYSPACE, table, direction);
    }

    private static void awaitEnd(Node node, String direction)
    {
        if (direction.equals("out"))
            MoveOutTest.awaitReady(node, TABLES.size());
        else
            node.awaitMovedIn(FilledTables.KEYSPACE, MoveOutTest.BOUND);
    }

    @Test
    void everyAcknowledgedChangeIsThere() throws IOException
    {
        List<String> failures = new ArrayList<>();
        int killedAtSteps = 0;
        try (Node node = node().start())
        {
            for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
                try
                {
                    String killed = new Life(seed, node).run();
                    killedAtSteps += killed.startsWith("at random") ? 0 : 1;
                    logger.info("crash-move: seed {} passed, killed {}", seed, killed);
                }
                catch (RuntimeException | AssertionError e)
                {
                    logger.error("crash-move: seed {} FAILED", seed, e);
                    failures.add("seed " + seed + ": " + e);
                    if (!node.isRunning())
                        node.start();
                }
        }
        logger.info("crash-move: {} seeds from {}, {} killed at a named step, {} failed", SEEDS, FIRST_SEED, killedAtSteps,
                    failures.size());
        assertEquals(List.of(), failures);
        Checkout.delete(Checkout.nodes().resolve(NAME));
    }

    /** Of one seed's tables, over one kill. */
    private static final class Life
    {
        private final int seed;
        private final Node node;
        private final Random random;
        private FilledTables tables;
        private Ledger ledger;
        /** The direction when the node was killed. */
        private String last;

        private Life(int seed, Node node)
        {
            this.seed = seed;
            this.node = node;
            this.random = new Random(seed);
        }

        /** @return how the node was killed, which runs again */
        private String run()
        {
            String killed;
            node.log().mark();
            try (Cql cql = node.cql())
            {
                create(cql);
                Ledger.Clients clients = ledger.new Clients(cql);
                try (clients)
                {
                    turn();
                    killed = kill();
                }
            }
            node.start();
            try (Cql cql = node.cql(FilledTables.KEYSPACE))
            {
                tables = FilledTables.again(tables, cql);
                check(cql);
                // some tables may not have been told before the kill
                if (random.nextBoolean())
                    last = last.equals("in") ? "out" : "in";
                direct(node, last);
                tables.write(20);
                awaitEnd(node, last);
                check(cql);
                node.compact(FilledTables.KEYSPACE);
                check(cql);
                assertEquals(List.of(), node.log().errors());
            }
            return killed;
        }

        private void create(Cql cql)
        {
            int graceSeconds = random.nextBoolean() ? 0 : 60;
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            tables = FilledTables.create(cql, EnteringNode.KEY, seed, graceSeconds);
            ledger = Ledger.create(cql, FilledTables.KEYSPACE, EnteringNode.KEY, graceSeconds);
            tables.write(40 + random.nextInt(60));
        }

        /** The last one leaves much to do. */
        private void turn()
        {
            boolean endsIn = random.nextBoolean();
            List<String> directions = new ArrayList<>();
            for (int turns = random.nextInt(3); turns > 0; turns--)
                directions.add(List.of("out", "in", "hold").get(random.nextInt(3)));
            directions.add(endsIn ? "out" : "in");
            for (String direction : directions)
            {
                direct(node, direction);
                tables.write(10 + random.nextInt(20));
                Pause.millis(random.nextInt(1500));
                tables.same();
            }
            if (random.nextBoolean())
                tables.changeColumns();
            tables.write(20);
            last = endsIn ? "in" : "out";
        }

        private String kill()
        {
            FilledTables.keepOfStock(node);
            List<String> steps = last.equals("in") ? STEPS_IN : STEPS_OUT;
            String step = random.nextInt(4) == 0 ? "" : steps.get(random.nextInt(steps.size()));
            if (!step.isEmpty())
                MoveFaults.killAt(node, step.split(" ")[0], step.split(" ")[1]);
            try
            {
                direct(node, last);
            }
            catch (IllegalStateException | UncheckedIOException e)
            {
                if (step.isEmpty())
                    throw e; // else it is dead already
            }
            for (int waited = 0; waited < KILL_WAIT_MILLIS && !step.isEmpty() && node.isRunning(); waited += 50)
                Pause.millis(50);
            String how = step.isEmpty() || node.isRunning() ? "at random" : "at " + step;
            if (node.isRunning())
            {
                Pause.millis(random.nextInt(1500));
                node.killNine();
            }
            return how + ", " + last;
        }

        private void check(Cql cql)
        {
            ledger.check(cql);
            tables.same();
        }
    }
}
