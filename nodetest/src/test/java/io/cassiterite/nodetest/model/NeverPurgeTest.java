/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The engine heeds the property by which an operator keeps deletions beyond gc_grace_seconds, as when repairs are late. */
@NodeTest(own = true, jvm = "-Dcassandra.never_purge_tombstones=true")
class NeverPurgeTest
{
    private static final String KEYSPACE = "neverpurgetest";

    @Test
    void whatWasDeletedStaysDeletedForWritesThatComeLate(Node node, Cql cql) throws Exception
    {
        cql.run("CREATE TABLE kept (p int PRIMARY KEY, v int) WITH gc_grace_seconds = 0 AND memtable = 'cassiterite'");
        cql.run("INSERT INTO kept (p, v) VALUES (1, 1) USING TIMESTAMP 100");
        cql.run("DELETE FROM kept USING TIMESTAMP 200 WHERE p = 1");
        Thread.sleep(2000);
        node.flush(KEYSPACE, "kept");
        node.compact(KEYSPACE, "kept");
        cql.run("INSERT INTO kept (p, v) VALUES (1, 1) USING TIMESTAMP 150");
        assertEquals(List.of(), cql.texts("SELECT * FROM kept"));
    }
}
