/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The oracle itself: two stock memtables never differ, and a side that is spoilt is found out. */
@NodeTest(stock = true)
@Tag("cluster")
class OracleSelfTest
{
    private static final Logger logger = LoggerFactory.getLogger(OracleSelfTest.class);
    private static final int CLEAN_SECONDS = 8;
    private static final int SPOILT_SECONDS = 180;

    private static Oracle oracle(NodeMachine machine, Twin.Fault fault)
    {
        return Oracle.onTwins(machine, "trie", "skiplist", Checkout.root().resolve("build/oracle-self"), false, fault, logger::debug)
               .bounded(1, 4);
    }

    @Test
    void twoStockMemtablesDoNotDiffer(Node node)
    {
        try (NodeMachine machine = new NodeMachine(node))
        {
            Oracle oracle = oracle(machine, null);
            oracle.run(1, CLEAN_SECONDS);
            assertEquals(0, oracle.findings().size(), () -> String.join("\n", oracle.findings()));
        }
    }

    static Stream<Arguments> faults()
    {
        return Stream.of(Arguments.of("range deletions are lost", fault((step, cql) -> step.kind.equals("delete range") ? null : cql)),
                         Arguments.of("TTLs are lost", fault((step, cql) -> cql.replaceAll("TTL \\d+", "TTL 0"))),
                         Arguments.of("timestamps are rounded", fault((step, cql) -> cql.replaceAll("(TIMESTAMP \\d+)[1-9]", "$10"))),
                         Arguments.of("reads lose rows", fault((step, cql) -> step.kind.equals("verify rows") ? cql + " LIMIT 2" : cql)));
    }

    private static Twin.Fault fault(Twin.Fault fault)
    {
        return fault;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void aChangedSideIsDetected(String name, Twin.Fault fault, Node node)
    {
        try (NodeMachine machine = new NodeMachine(node))
        {
            Oracle oracle = oracle(machine, fault);
            oracle.run(name.hashCode(), SPOILT_SECONDS);
            assertFalse(oracle.findings().isEmpty(), name + " was not found");
            assertTrue(oracle.findings().get(0).contains("CREATE TABLE"), oracle.findings().get(0));
        }
    }
}
