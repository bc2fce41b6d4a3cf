/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Command;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * cqlengine, the Python driver's object mapper, in an application of its own: nodetest/drivers/mapper.py. What it prints
 * is the same on a stock node and on one where new tables are engine tables.
 */
@Tag("surface")
@NodeTest(own = true, jvm = "-Dcassiterite.default_memtable=cassiterite")
class PythonMapperTest
{
    private static final Duration BOUND = Duration.ofMinutes(6);
    private static Node stock;

    private final Node node;
    private final Cql cql;

    PythonMapperTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    @BeforeAll
    static void stockNode()
    {
        stock = Node.named("pythonmapper-stock").stock().start();
    }

    @AfterAll
    static void close()
    {
        stock.close();
    }

    private static List<String> run(Node on, String tables)
    {
        Output output = Command.run(List.of(Checkout.root().resolve("build/driver-venv/bin/python").toString(),
                                            Checkout.root().resolve("nodetest/drivers/mapper.py").toString(),
                                            on.cqlAddress().getAddress().getHostAddress(),
                                            Integer.toString(on.cqlAddress().getPort()), "mapper_" + tables, tables), BOUND);
        return output.success().lines().toList();
    }

    private void assertSame(String tables)
    {
        List<String> expected = run(stock, tables);
        assertTrue(expected.size() > 20, expected::toString);
        assertEquals(String.join("\n", expected), String.join("\n", run(node, tables)));
        assertEquals(List.of("cassiterite"), cql.rows("SELECT memtable FROM system_schema.tables WHERE keyspace_name = ?",
                                                      "mapper_" + tables)
                                                .stream().map(row -> row.getString("memtable")).distinct().toList());
    }

    @Test
    void tablesWithoutIndexes()
    {
        assertSame("plain");
    }

    @Test
    void tablesWithIndexes()
    {
        assertSame("indexed");
    }
}
