/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The index oracle: the engine's indexes answer as a filter over the whole table does, and a side that is spoilt is found
 * out. -Dindex.seconds and -Dindex.seed say how long and which.
 */
@NodeTest
class IndexOracleTest
{
    private static final Logger logger = LoggerFactory.getLogger(IndexOracleTest.class);
    private static final int SPOILT_SECONDS = 180;

    private static IndexOracle oracle(NodeMachine machine, IndexOracle.Mode mode, Twin.Fault fault)
    {
        Path reports = Checkout.root().resolve("build/oracle-index-self");
        return new IndexOracle(machine, mode, reports, false, fault, logger::info);
    }

    @Test
    void theEnginesIndexesAnswerLikeFilters(Node node)
    {
        long seconds = Long.getLong("index.seconds", 30);
        long seed = Long.getLong("index.seed", 1);
        try (NodeMachine machine = new NodeMachine(node))
        {
            IndexOracle oracle = oracle(machine, IndexOracle.Mode.ENGINE, null).bounded(3, 20).run(seed, seconds);
            logger.info("oracle: {}", oracle.report());
            // Stock's indexes lose rows, too.
            List<String> ours = oracle.findings().stream().filter(finding -> finding.contains(": ENGINE: ")).collect(Collectors.toList());
            assertEquals(List.of(), ours, () -> "seed " + seed);
            assertTrue(oracle.queries() > 0, oracle.report());
        }
    }

    @Test
    void lostRowsAreDetected(Node node)
    {
        Twin.Fault fault = (step, cql) -> step.kind.startsWith("index ") && !cql.contains("LIMIT")
                                          ? cql.replaceFirst("( ALLOW FILTERING)?$", " LIMIT 1$1") : cql;
        try (NodeMachine machine = new NodeMachine(node))
        {
            IndexOracle oracle = oracle(machine, IndexOracle.Mode.STOCK_ONLY, fault).bounded(1, 4).run(7, SPOILT_SECONDS);
            assertFalse(oracle.findings().isEmpty(), "the lost rows were not found");
            assertTrue(oracle.findings().get(0).contains("CREATE INDEX"), oracle.findings().get(0));
        }
    }
}
