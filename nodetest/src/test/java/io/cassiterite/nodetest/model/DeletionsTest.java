/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Deletion of a partition, a row, a range, a column and an element, before and after the writes that it covers. */
@NodeTest
class DeletionsTest
{
    private TwinTables twin;

    @BeforeEach
    void fill(Cql cql)
    {
        twin = TwinTables.create(cql, "deletions", "p int, a int, b int, v int, m map<int, int>, s int static, PRIMARY KEY (p, a, b)",
                                 "AND CLUSTERING ORDER BY (a ASC, b DESC)");
        for (int p = 0; p < 2; p++)
        {
            twin.run("INSERT INTO T (p, s) VALUES (" + p + ", 1) USING TIMESTAMP 100");
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    twin.run("INSERT INTO T (p, a, b, v, m) VALUES (" + p + ", " + a + ", " + b + ", 1, {1: 1, 2: 2}) USING TIMESTAMP "
                             + (100 + a * 10 + b));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "p = 1", "p = 1 AND a = 2", "p = 1 AND a = 2 AND b = 1", "p = 1 AND a > 1", "p = 1 AND a >= 1",
            "p = 1 AND a < 2",
                             "p = 1 AND a <= 2", "p = 1 AND a > 0 AND a < 3", "p = 1 AND a >= 1 AND a <= 2", "p = 1 AND a = 1 AND b > 1",
                             "p = 1 AND a = 1 AND b <= 2", "p = 1 AND (a, b) > (1, 2)", "p = 1 AND (a, b) <= (2, 1)",
                             "p IN (0, 1) AND a = 1 AND b = 1",
                             "p = 1 AND a IN (0, 3) AND b = 1", "p = 1 AND a > 3 AND a < 2", "p = 1 AND a = 1 AND b IN (1, 2)" })
    void deletesWhatItNames(String where)
    {
        for (int stamp : new int[]{ 111, 500, 121 })
        {
            twin.run("DELETE FROM T USING TIMESTAMP " + stamp + " WHERE " + where);
            twin.same();
            twin.run("SELECT * FROM T WHERE p = 1 ORDER BY a DESC");
            twin.run("SELECT * FROM T WHERE p = 1 AND a = 1");
        }
        twin.run("INSERT INTO T (p, a, b, v) VALUES (1, 1, 1, 9) USING TIMESTAMP 499");
        twin.run("INSERT INTO T (p, a, b, v) VALUES (1, 1, 1, 9) USING TIMESTAMP 501");
        twin.sameAndNotEmpty();
    }

    @Test
    void overlappingRangesOfDifferentAge()
    {
        twin.run("DELETE FROM T USING TIMESTAMP 115 WHERE p = 1 AND a >= 0 AND a < 3");
        twin.run("DELETE FROM T USING TIMESTAMP 125 WHERE p = 1 AND a > 1 AND a <= 3");
        twin.run("DELETE FROM T USING TIMESTAMP 105 WHERE p = 1");
        twin.run("DELETE FROM T USING TIMESTAMP 133 WHERE p = 1 AND a = 3 AND b >= 1 AND b < 3");
        twin.sameAndNotEmpty();
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                twin.run("SELECT * FROM T WHERE p = 1 AND a = " + a + " AND b = " + b);
    }

    @Test
    void aDeletionWinsATie()
    {
        twin.run("DELETE FROM T USING TIMESTAMP 111 WHERE p = 1 AND a = 1 AND b = 1");
        assertEquals(List.of(), twin.read("SELECT * FROM T WHERE p = 1 AND a = 1 AND b = 1"));
        twin.run("INSERT INTO T (p, a, b, v) VALUES (1, 1, 1, 5) USING TIMESTAMP 111");
        assertEquals(List.of(), twin.read("SELECT * FROM T WHERE p = 1 AND a = 1 AND b = 1"));
    }

    @Test
    void cellsAndElements()
    {
        twin.run("DELETE v FROM T USING TIMESTAMP 200 WHERE p = 1 AND a = 0 AND b = 0");
        twin.run("DELETE m[1] FROM T USING TIMESTAMP 200 WHERE p = 1 AND a = 0 AND b = 1");
        twin.run("DELETE m FROM T USING TIMESTAMP 200 WHERE p = 1 AND a = 0 AND b = 2");
        twin.run("UPDATE T USING TIMESTAMP 150 SET m[7] = 7 WHERE p = 1 AND a = 0 AND b = 2");
        twin.run("UPDATE T USING TIMESTAMP 250 SET m[8] = 8 WHERE p = 1 AND a = 0 AND b = 2");
        twin.run("DELETE s FROM T USING TIMESTAMP 99 WHERE p = 1");
        twin.run("DELETE s FROM T USING TIMESTAMP 300 WHERE p = 0");
        assertEquals(List.of("b=3, m={1:1,2:2}, v=1", "b=2, m={8:8}, v=1", "b=1, m={2:2}, v=1", "b=0, m={1:1,2:2}, v=null"),
                     twin.read("SELECT b, m, v FROM T WHERE p = 1 AND a = 0"));
        twin.sameAndNotEmpty();
    }

    @Test
    void aRowLivesByItsCellsOrByItself()
    {
        twin.run("UPDATE T USING TIMESTAMP 10 SET v = 1 WHERE p = 7 AND a = 1 AND b = 1");
        twin.run("INSERT INTO T (p, a, b) VALUES (7, 2, 2) USING TIMESTAMP 10");
        twin.run("DELETE v FROM T USING TIMESTAMP 20 WHERE p = 7 AND a = 1 AND b = 1");
        twin.run("DELETE v FROM T USING TIMESTAMP 20 WHERE p = 7 AND a = 2 AND b = 2");
        assertEquals(List.of("a=2"), twin.read("SELECT a FROM T WHERE p = 7"));
    }
}
