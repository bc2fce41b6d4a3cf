/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Command;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** COPY of cqlsh takes engine tables into files and back, and from a stock node to one with the engine. */
@Tag("tools")
class CqlshCopyTest
{
    private static final String KEYSPACE = "cqlshcopytest";
    private static final Duration BOUND = Duration.ofMinutes(5);

    @BeforeAll
    static void tables()
    {
        TwoNodes.freshKeyspace(KEYSPACE);
        AllTypes.create(KEYSPACE, "original", "copy", "taken_over");
        AllTypes.fill(KEYSPACE, "original");
    }

    private static void copy(Node node, String table, String direction, Path folder)
    {
        String statement = "COPY " + KEYSPACE + "." + table + " " + direction + " '" + folder.resolve("rows.csv")
                           + "' WITH HEADER = TRUE AND NULL = 'none' AND NUMPROCESSES = 1"
                           + (direction.equals("TO") ? " AND FLOATPRECISION = 9 AND DOUBLEPRECISION = 17" : "");
        String text = Command.run(List.of(Checkout.root().resolve("build/venv/bin/cqlsh").toString(), node.address(),
                                          Integer.toString(node.cqlAddress().getPort()), "--request-timeout=60", "-e", statement),
                                  BOUND).success();
        assertTrue(text.contains("rows") && !text.contains("Failed"), text);
    }

    @Test
    void copiesAllTypes()
    {
        TwoNodes.same(node -> {
            Path folder = Folders.fresh(node, "copied");
            copy(node, "original", "TO", folder);
            copy(node, "copy", "FROM", folder);
            // cqlsh changes the last digit of some doubles
            return Stream.concat(Folders.sortedLines(folder).stream(), TwoNodes.rows(node, KEYSPACE + ".copy").stream()).toList();
        });
        copy(TwoNodes.engine(), "taken_over", "FROM", TwoNodes.stock().base().resolve("copied"));
        TwoNodes.assertCopied(TwoNodes.engine(), KEYSPACE, "copy", "taken_over", 100);
    }
}
