/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Random statements on twin tables answer alike; -Doracle.seconds and -Doracle.seed say how long and which. Always the
 * same ones unless told: `make oracle` is for finding new ones. The front door has to answer its share of the prepared reads.
 */
@NodeTest(own = true, yaml = { "auto_snapshot: false", "memtable.configurations.cassiterite.parameters.front_door: reads",
                              "memtable.configurations.cassiterite.parameters.front_door_writes: on" })
class OracleTest
{
    private static final Logger logger = LoggerFactory.getLogger(OracleTest.class);

    @Test
    void enginesAnswerLikeStockTables(Node node)
    {
        long seconds = Long.getLong("oracle.seconds", 75);
        long seed = Long.getLong("oracle.seed", 3001);
        try (NodeMachine machine = new NodeMachine(node))
        {
            Oracle oracle = Oracle.onTwins(machine, "trie", "cassiterite", Checkout.root().resolve("build/oracle"), true, null,
                                       logger::info);
            oracle.bounded(3, 30).run(seed, seconds);
            assertEquals(0, oracle.findings().size(), () -> "seed " + seed + ":\n" + String.join("\n", oracle.findings()));
            assertTrue(oracle.tally().total() > 100, oracle.tally().report());
            logger.info("oracle: {}", oracle.tally().doorReport(machine.doorCounts()));
            assertEquals("", oracle.tally().doorFailure(machine.doorCounts()));
        }
    }
}
