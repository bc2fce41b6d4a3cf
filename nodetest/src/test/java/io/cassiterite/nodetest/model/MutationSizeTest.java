/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

/** Mutations beyond {@code max_mutation_size} are refused as those of a stock table, and nothing of them is stored. */
class MutationSizeTest
{
    private static final int LIMIT_BYTES = 64 * 1024;

    @Test
    void tooLargeForOneTooLargeForTheOther()
    {
        try (Node node = Node.named("mutationsizetest").yaml("max_mutation_size", LIMIT_BYTES / 1024 + "KiB")
                             .yaml("native_transport_max_message_size", "1MiB").start();
             Cql cql = node.cql())
        {
            cql.freshKeyspace("mutationsizetest");
            refuseTheSame(node);
        }
    }

    private static void refuseTheSame(Node node)
    {
        try (Cql cql = node.cql("mutationsizetest"))
        {
            TwinTables twin = TwinTables.create(cql, "t", "p int, c int, v blob, PRIMARY KEY (p, c)");
            for (int bytes : new int[]{ LIMIT_BYTES / 2, LIMIT_BYTES - 200, LIMIT_BYTES, 2 * LIMIT_BYTES })
                twin.run(insert(1, bytes));
            twin.run("BEGIN UNLOGGED BATCH " + insert(2, LIMIT_BYTES / 2) + ' ' + insert(3, LIMIT_BYTES / 2) + " APPLY BATCH");
            twin.run("BEGIN UNLOGGED BATCH " + insert(4, LIMIT_BYTES / 4) + ' ' + insert(5, LIMIT_BYTES / 4) + " APPLY BATCH");
            twin.sameAndNotEmpty();
        }
    }

    private static String insert(int clustering, int bytes)
    {
        return "INSERT INTO T (p, c, v) VALUES (0, " + clustering + ", 0x" + "ab".repeat(bytes) + ") USING TIMESTAMP " + bytes + ';';
    }
}
