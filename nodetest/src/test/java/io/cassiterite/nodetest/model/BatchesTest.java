/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Logged and unlogged batches, and lightweight transactions. */
@NodeTest
class BatchesTest
{
    private static final String COLUMNS = "p int, c int, v int, w text, s int static, l list<int>, m map<int, int>, PRIMARY KEY (p, c)";

    @Test
    void batchesHaveOneTimestamp(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "batches", COLUMNS);
        for (String kind : new String[]{ "BATCH", "UNLOGGED BATCH" })
        {
            twin.run("BEGIN " + kind + " USING TIMESTAMP 10 INSERT INTO T (p, c, v) VALUES (1, 1, 1); INSERT INTO T (p, c, v) VALUES "
                    + "(1, 1, 2);"
                     + " DELETE FROM T WHERE p = 1 AND c = 2; INSERT INTO T (p, c, v) VALUES (1, 2, 2); UPDATE T SET s = 3 WHERE p = 2;"
                     + " INSERT INTO T (p, c, v) VALUES (2, 1, 1); APPLY BATCH");
            assertEquals(List.of("p=1, c=1, s=null, v=2", "p=2, c=1, s=3, v=1"), twin.read("SELECT p, c, s, v FROM T"));
            twin.run("BEGIN " + kind + " INSERT INTO T (p, c, v) VALUES (1, 1, 9) USING TIMESTAMP 20;"
                     + " DELETE v FROM T USING TIMESTAMP 19 WHERE p = 1 AND c = 1; DELETE FROM T USING TIMESTAMP 21 WHERE p = 2; "
                             + "APPLY BATCH");
            twin.sameAndNotEmpty();
            twin.run("TRUNCATE T");
        }
    }

    @Test
    void transactionsApplyOnWhatTheyExpect(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "transactions", COLUMNS);
        for (String statement : new String[]{
            "INSERT INTO T (p, c, v, w) VALUES (1, 1, 1, 'x') IF NOT EXISTS", "INSERT INTO T (p, c, v) VALUES (1, 1, 2) IF NOT EXISTS",
            "UPDATE T SET v = 5 WHERE p = 1 AND c = 1 IF v = 1", "UPDATE T SET v = 6 WHERE p = 1 AND c = 1 IF v = 1 AND w = 'x'",
            "UPDATE T SET v = 6, l = [1, 2], m = {1: 1} WHERE p = 1 AND c = 1 IF v IN (5, 6) AND w > 'a'",
            "UPDATE T SET l[0] = 9 WHERE p = 1 AND c = 1 IF l[1] = 2", "UPDATE T SET m[2] = 2 WHERE p = 1 AND c = 1 IF m[1] = 7",
            "UPDATE T SET s = 1 WHERE p = 1 IF s = null", "UPDATE T SET s = 2 WHERE p = 1 IF s = 1",
            "DELETE w FROM T WHERE p = 1 AND c = 1 IF EXISTS",
            "UPDATE T SET v = 1 WHERE p = 9 AND c = 9 IF EXISTS", "UPDATE T SET v = 1 WHERE p = 9 AND c = 9 IF v = null",
            "BEGIN BATCH INSERT INTO T (p, c, v) VALUES (1, 2, 2) IF NOT EXISTS; UPDATE T SET v = 7 WHERE p = 1 AND c = 1 IF v = 6; "
            + "APPLY BATCH",
            "BEGIN BATCH INSERT INTO T (p, c, v) VALUES (1, 3, 3) IF NOT EXISTS; UPDATE T SET v = 8 WHERE p = 1 AND c = 1 IF v = 6; "
            + "APPLY BATCH",
            "DELETE FROM T WHERE p = 1 AND c = 2 IF v = 3", "DELETE FROM T WHERE p = 1 AND c = 2 IF v = 2",
            "INSERT INTO T (p, c, v) VALUES (1, 2, 5) IF NOT EXISTS", "INSERT INTO T (p, c, v) VALUES (1, 2, 5) IF NOT EXISTS USING "
            + "TIMESTAMP 5" })
        {
            twin.run(statement);
            twin.run("SELECT * FROM T");
        }
        twin.sameAndNotEmpty();
    }
}
