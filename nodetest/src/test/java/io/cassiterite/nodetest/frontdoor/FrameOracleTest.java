/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.net.InetSocketAddress;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.StockTransport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The front door and a stock transport of the same node give the same bytes for the same requests; -Doracle.seconds,
 * -Doracle.seed and -Doracle.front_door say how long, which, and in what mode. Always the same requests unless told:
 * `make oracle-frames` is for finding new ones.
 */
class FrameOracleTest
{
    private static final Logger logger = LoggerFactory.getLogger(FrameOracleTest.class);

    private static final String MODE = System.getProperty("oracle.front_door", "reads");

    private static Node node;
    private static Replicas replicas;
    private static InetSocketAddress stock;

    @BeforeAll
    static void start()
    {
        NodeBuilder builder = FrameOracle.node("frameoracletest", MODE);
        stock = StockTransport.on(builder);
        node = builder.start();
        replicas = Replicas.of(node, MODE);
    }

    @AfterAll
    static void stop()
    {
        replicas.close();
        node.close();
    }

    @Test
    void theDoorAnswersLikeStock()
    {
        long seconds = Long.getLong("oracle.seconds", 60);
        long seed = Long.getLong("oracle.seed", 4001);
        FrameOracle oracle = new FrameOracle(node, replicas, stock, logger::info);
        oracle.run(seed, seconds);
        logger.info(oracle.tally().report());
        assertEquals(0, oracle.findings().size(), () -> "seed " + seed + ":\n" + String.join("\n", oracle.findings()));
        assertTrue(oracle.tally().total() > 100, oracle.tally().report());
        assertTrue(!MODE.equals("reads") || oracle.report().answered() > 0, () -> oracle.report().toString());
    }

    /** One bit of the last byte of one answer in a thousand. */
    @Test
    void aChangedAnswerIsDetected()
    {
        int[] seen = new int[1];
        FrameOracle oracle = new FrameOracle(node, replicas, stock, answer -> {
            if (answer.opcode != Envelope.RESULT || ++seen[0] % 1_000 != 0)
                return answer;
            byte[] body = answer.body.clone();
            body[body.length - 1] ^= 1;
            return answer.with(body, false);
        }, "oracle-frames-self", logger::debug);
        long end = System.nanoTime() + NativeAnswers.PATIENCE.toNanos();
        try
        {
            for (int seed = 1; oracle.findings().isEmpty() && System.nanoTime() < end; seed++)
                oracle.run(seed, 10);
            assertFalse(oracle.findings().isEmpty(), oracle.tally().report());
        }
        catch (FrameMismatch detected)
        {
            // The first statements of a round are compared, too, and end it.
            logger.debug("The changed answer was one of these", detected);
        }
    }
}
