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
import static org.junit.jupiter.api.Assertions.assertTrue;

/** TRUNCATE, DROP and re-create; ALTER ADD, DROP and RENAME. */
@NodeTest
class TableChangesTest
{
    private static final String COLUMNS = "p int, c int, v int, t text, s int static, PRIMARY KEY (p, c)";

    private static void fill(TwinTables twin)
    {
        for (int i = 0; i < 6; i++)
            twin.run("INSERT INTO T (p, c, v, t, s) VALUES (" + i % 2 + ", " + i + ", " + i + ", 'x', 1) USING TIMESTAMP " + (10 + i));
    }

    @Test
    void aTruncatedTableIsEmptyAndStaysSo(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "truncated", COLUMNS);
        for (int round = 0; round < 3; round++)
        {
            fill(twin);
            twin.sameAndNotEmpty();
            twin.run("TRUNCATE T");
            assertEquals(List.of(), twin.read("SELECT * FROM T"));
            assertEquals(List.of("count=0"), twin.read("SELECT count(*) FROM T"));
        }
        fill(twin);
        twin.sameAndNotEmpty();
    }

    @Test
    void aTableThatIsCreatedAgainIsEmpty(Cql cql)
    {
        for (int round = 0; round < 2; round++)
        {
            TwinTables twin = TwinTables.named(cql, "again", COLUMNS, "");
            assertEquals(List.of(), twin.read("SELECT * FROM T"));
            fill(twin);
            twin.sameAndNotEmpty();
            twin.run("DROP TABLE T");
            twin.run("SELECT * FROM T");
        }
    }

    @Test
    void columnsAreAddedAndRenamed(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "added", COLUMNS);
        fill(twin);
        twin.run("ALTER TABLE T ADD (n int, m map<int, text>, z text static)");
        twin.sameAndNotEmpty();
        twin.run("UPDATE T SET n = 1, m[1] = 'a', z = 'static' WHERE p = 1 AND c = 1");
        twin.run("ALTER TABLE T RENAME c TO renamed");
        twin.run("INSERT INTO T (p, renamed, n) VALUES (1, 7, 7)");
        twin.run("SELECT renamed, n, z FROM T WHERE p = 1 AND renamed >= 1");
        twin.sameAndNotEmpty();
        twin.run("ALTER TABLE T ADD v int");
        twin.run("ALTER TABLE T RENAME v TO w");
        twin.run("ALTER TABLE T DROP p");
    }

    /** D7: on a stock table this is true only after a flush, so the test flushes before it compares. */
    @Test
    void aDroppedColumnThatIsAddedAgainIsEmpty(Cql cql, Node node)
    {
        TwinTables twin = TwinTables.create(cql, "added_again", "p int PRIMARY KEY, keep int, v int, m map<int, int>");
        for (int i = 0; i < 5; i++)
            twin.run("INSERT INTO T (p, keep, v, m) VALUES (" + i + ", 1, 1, {1: 1})");
        node.flush("tablechangestest");
        for (String column : new String[]{ "v int", "m map<int, int>" })
        {
            twin.run("ALTER TABLE T DROP " + column.split(" ")[0]);
            twin.run("ALTER TABLE T ADD " + column);
        }
        assertEquals(List.of("p=1, keep=1, m=null, v=null"), twin.read("SELECT * FROM T WHERE p = 1"));
        twin.run("UPDATE T SET v = 2, m[2] = 2 WHERE p = 1");
        assertEquals(List.of("p=1, keep=1, m={2:2}, v=2"), twin.read("SELECT * FROM T WHERE p = 1"));
        twin.sameAndNotEmpty();
    }

    /** D7 in the engine alone: without any flush, and with timestamps after the drop. */
    @Test
    void droppedValuesDoNotComeBackWithoutAFlush(Cql cql)
    {
        cql.run("CREATE TABLE unflushed (p int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO unflushed (p, v) VALUES (1, 1) USING TIMESTAMP 9000000000000000");
        cql.run("ALTER TABLE unflushed DROP v");
        assertTrue(cql.texts("SELECT * FROM unflushed").size() <= 1);
        cql.run("ALTER TABLE unflushed ADD v int");
        assertEquals(List.of("p=1, v=null"), cql.texts("SELECT * FROM unflushed"));
        cql.run("INSERT INTO unflushed (p, v) VALUES (1, 2)");
        assertEquals(List.of("p=1, v=2"), cql.texts("SELECT * FROM unflushed"));
    }
}
