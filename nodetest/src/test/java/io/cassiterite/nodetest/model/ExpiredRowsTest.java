/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.RowText;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A row whose INSERT has expired lives on in its older cells, also where a query names none of these. */
@NodeTest
class ExpiredRowsTest
{
    private static final String COLUMNS = "k int, c int, r1 int, r2 int, m map<int, int>, s int static, PRIMARY KEY (k, c)";

    private TwinTables twin;

    /** In each partition, rows 1 and 2 have cells that outlive the INSERT; rows 3 to 5 have not. */
    @BeforeEach
    void fill(Cql cql)
    {
        twin = TwinTables.create(cql, "expired", COLUMNS);
        twin.run("DELETE FROM T USING TIMESTAMP 1 WHERE k = 3");
        for (int k = 1; k <= 3; k++)
        {
            twin.run("INSERT INTO T (k, s) VALUES (" + k + ", 7) USING TIMESTAMP 10");
            for (int c : new int[]{ 1, 3, 4 })
                twin.run("INSERT INTO T (k, c, r1) VALUES (" + k + ", " + c + ", 1) USING TIMESTAMP 10" + (c == 3 ? " AND TTL 3" : ""));
            twin.run("UPDATE T USING TIMESTAMP 10 SET m[1] = 1 WHERE k = " + k + " AND c = 2");
            twin.run("UPDATE T USING TIMESTAMP 10 SET r1 = 1 WHERE k = " + k + " AND c = 5");
            for (int c = 1; c <= 5; c++)
                twin.run("INSERT INTO T (k, c, r2) VALUES (" + k + ", " + c + ", 2) USING TIMESTAMP 20 AND TTL 3");
            twin.run("DELETE r1 FROM T USING TIMESTAMP 30 WHERE k = " + k + " AND c = 4");
            twin.run("DELETE FROM T USING TIMESTAMP 15 WHERE k = " + k + " AND c = 5");
        }
        twin.run("DELETE FROM T USING TIMESTAMP 5 WHERE k = 2 AND c > 1");
        twin.later(10);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "AND c > 0", "AND c IN (1, 2, 3, 4, 5)", "AND (c) > (0)", "ORDER BY c DESC", "PER PARTITION LIMIT 2" })
    void anySelectionShowsTheRow(String restriction)
    {
        for (int k = 1; k <= 3; k++)
        {
            assertRows(List.of("c=1, r2=null", "c=2, r2=null"), "SELECT c, r2", k, restriction);
            assertRows(List.of("c=1, s=7", "c=2, s=7"), "SELECT c, s", k, restriction);
            assertRows(List.of("c=1, m=null", "c=2, m={1:1}"), "SELECT c, m", k, restriction);
            assertRows(List.of("[json]='{\"c\": 1, \"r2\": null}'", "[json]='{\"c\": 2, \"r2\": null}'"), "SELECT JSON c, r2", k,
                       restriction);
        }
    }

    private void assertRows(List<String> expected, String projection, int k, String restriction)
    {
        List<String> inOrder = new ArrayList<>(expected);
        if (restriction.contains("DESC"))
            Collections.reverse(inOrder);
        String select = projection + " FROM T WHERE k = " + k + ' ' + restriction;
        assertEquals(inOrder, engine(select), select);
    }

    private List<String> engine(String select)
    {
        return twin.rows(select).stream().map(RowText::readable).collect(Collectors.toList());
    }

    @Test
    void aRowIsFoundByItsKey()
    {
        for (int k = 1; k <= 3; k++)
            for (int c = 1; c <= 5; c++)
                for (String columns : new String[]{ "c, r2", "c, s", "r2, c, writetime(r2)" })
                    assertEquals(c <= 2 ? 1 : 0, engine("SELECT " + columns + " FROM T WHERE k = " + k + " AND c = " + c).size(), columns);
    }

    @Test
    void aTableScanFindsTheRows()
    {
        assertEquals(6, engine("SELECT r2 FROM T").size());
        assertEquals(3, engine("SELECT r2 FROM T PER PARTITION LIMIT 1").size());
        assertEquals(3, engine("SELECT DISTINCT k FROM T").size());
        assertEquals(List.of("count=6, system.count(r2)=0"), engine("SELECT count(*), count(r2) FROM T"));
        twin.run("SELECT * FROM T");
    }

    @Test
    void aTableWithoutClusteringFindsTheRow(Cql cql)
    {
        TwinTables plain = TwinTables.create(cql, "plain", "k int PRIMARY KEY, r1 int, r2 int");
        plain.run("INSERT INTO T (k, r1) VALUES (1, 1)");
        plain.run("INSERT INTO T (k, r2) VALUES (1, 2) USING TTL 3");
        plain.later(4);
        for (String where : new String[]{ "", " WHERE k = 1", " WHERE k IN (1, 2)" })
            assertEquals(1, plain.rows("SELECT r2 FROM T" + where).size(), where);
    }

    @Test
    void stockAnswersLikeThisWhereTheWritesWereFlushedApart(Cql cql, Node node)
    {
        TwinTables flushed = TwinTables.create(cql, "apart", COLUMNS);
        flushed.run("INSERT INTO T (k, c, r1) VALUES (1, 1, 1)");
        node.flush("expiredrowstest", flushed.stock());
        flushed.run("INSERT INTO T (k, c, r2) VALUES (1, 1, 2) USING TTL 3");
        flushed.later(4);
        for (String select : new String[]{ "SELECT c, r2 FROM T", "SELECT c, r2 FROM T WHERE k = 1",
                                           "SELECT m FROM T WHERE k = 1 AND c = 1" })
            assertEquals(1, flushed.read(select).size(), select);
    }
}
