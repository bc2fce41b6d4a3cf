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

/** Which write wins, when values expire, and what WRITETIME and TTL return. */
@NodeTest
class TimestampsTest
{
    @Test
    void theLaterWriteWinsWhateverComesFirst(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "later", "p int PRIMARY KEY, v text, w int");
        twin.run("INSERT INTO T (p, v, w) VALUES (1, 'b', 5) USING TIMESTAMP 100");
        twin.run("INSERT INTO T (p, v) VALUES (1, 'older') USING TIMESTAMP 99");
        twin.run("INSERT INTO T (p, w) VALUES (1, 6) USING TIMESTAMP 9000000000000000");
        twin.run("INSERT INTO T (p, w) VALUES (1, 7)");
        assertEquals(List.of("v='b', writetime(v)=100, w=6, writetime(w)=9000000000000000"),
                     twin.read("SELECT v, writetime(v), w, writetime(w) FROM T"));
        twin.run("INSERT INTO T (p, v, w) VALUES (2, 'negative', 1) USING TIMESTAMP -5");
        twin.sameAndNotEmpty();
    }

    @Test
    void tiesAreBrokenByTheValue(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "ties", "p int PRIMARY KEY, i int, t text, b blob, l list<int>, s set<int>");
        String[] values = { "-1, 'b', 0xff, [1], {1}", "1, 'a', 0x00, [2, 3], {2}", "0, 'ba', 0xff00, [], {1, 3}" };
        for (String value : values)
            twin.run("INSERT INTO T (p, i, t, b, l, s) VALUES (1, " + value + ") USING TIMESTAMP 7");
        for (int n = values.length - 1; n >= 0; n--)
            twin.run("INSERT INTO T (p, i, t, b, l, s) VALUES (2, " + values[n] + ") USING TIMESTAMP 7");
        twin.run("INSERT INTO T (p, i) VALUES (3, 9) USING TIMESTAMP 7");
        twin.run("INSERT INTO T (p, i) VALUES (3, 1) USING TIMESTAMP 7 AND TTL 1000");
        twin.run("INSERT INTO T (p, i) VALUES (4, 1) USING TIMESTAMP 7 AND TTL 1000");
        twin.run("INSERT INTO T (p, i) VALUES (4, 0) USING TIMESTAMP 7 AND TTL 2000");
        twin.sameAndNotEmpty();
        twin.run("SELECT p, i, ttl(i), writetime(i), writetime(l), writetime(s) FROM T");
    }

    @Test
    void valuesExpire(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "expiry", "p int, c int, v int, w int, m map<int, int>, PRIMARY KEY (p, c)");
        twin.run("INSERT INTO T (p, c, v, w) VALUES (1, 1, 1, 1) USING TTL 100");
        twin.run("UPDATE T USING TTL 200 SET w = 2 WHERE p = 1 AND c = 1");
        twin.run("UPDATE T SET m[1] = 1 WHERE p = 1 AND c = 2");
        twin.run("UPDATE T USING TTL 50 SET m[2] = 2 WHERE p = 1 AND c = 2");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, 3, 3) USING TTL 100");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, 3, 4) USING TTL 0");
        for (int later : new int[]{ 0, 49, 2, 48, 2, 98, 2, 1000 })
        {
            twin.later(later);
            twin.sameAndNotEmpty();
            twin.run("SELECT p, c, v, ttl(v), ttl(w), ttl(m) FROM T");
        }
        assertEquals(List.of("c=2, m={1:1}, v=null", "c=3, m=null, v=4"), twin.read("SELECT c, m, v FROM T"));
    }

    @Test
    void aTableHasATimeToLive(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "defaults", "p int PRIMARY KEY, v int", "AND default_time_to_live = 60");
        twin.run("INSERT INTO T (p, v) VALUES (1, 1)");
        twin.run("INSERT INTO T (p, v) VALUES (2, 2) USING TTL 0");
        twin.run("INSERT INTO T (p, v) VALUES (3, 3) USING TTL 600");
        twin.run("UPDATE T SET v = 4 WHERE p = 4");
        twin.run("SELECT p, ttl(v) FROM T");
        twin.later(61);
        assertEquals(List.of("p=2, v=2", "p=3, v=3"), twin.read("SELECT * FROM T"));
        twin.run("ALTER TABLE T WITH default_time_to_live = 0");
        twin.run("INSERT INTO T (p, v) VALUES (5, 5)");
        twin.run("SELECT p, ttl(v) FROM T");
    }
}
