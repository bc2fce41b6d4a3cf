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

/** Which values are equal as keys although their bytes differ, and which are not. */
@NodeTest
class EqualKeysTest
{
    /** Not a number, as clients in other languages write it: with a payload, and with the sign of x86's 0.0 / 0.0. */
    private static final String[] NANS = { "NaN", "blob_as_double(0x7ff8000000000001)", "blob_as_double(0xfff8000000000000)" };

    @Test
    void nullAndEmptyAreTwoWithinATuple(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "fields", "p int, c frozen<tuple<int, text>>, v int, PRIMARY KEY (p, c)");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, (null, 'a'), 1)");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, (blob_as_int(0x), 'a'), 2)");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, (0, 'a'), 3)");
        assertEquals(List.of("v=1", "v=2", "v=3"), twin.read("SELECT v FROM T WHERE p = 1"));
        twin.run("SELECT v FROM T WHERE p = 1 AND c = (null, 'a')");
        twin.run("SELECT v FROM T WHERE p = 1 AND c = (blob_as_int(0x), 'a')");
        twin.run("SELECT v FROM T WHERE p = 1 AND c > (null, 'b')");
        twin.run("DELETE FROM T WHERE p = 1 AND c = (null, 'a')");
        assertEquals(List.of("v=2", "v=3"), twin.read("SELECT v FROM T WHERE p = 1"));
        twin.run("DELETE FROM T WHERE p = 1 AND c <= (blob_as_int(0x), 'z')");
        assertEquals(List.of("v=3"), twin.read("SELECT v FROM T WHERE p = 1"));
    }

    @Test
    void allThatIsNotANumberIsOneAndTheGreatest(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "nans", "p int, c double, v int, PRIMARY KEY (p, c)", "AND CLUSTERING ORDER BY (c DESC)");
        for (int p = 0; p < NANS.length; p++)
            for (int at = 0; at < NANS.length; at++)
                twin.run("INSERT INTO T (p, c, v) VALUES (" + p + ", " + NANS[(p + at) % NANS.length] + ", " + at + ')');
        twin.run("INSERT INTO T (p, c, v) VALUES (0, Infinity, 7)");
        assertEquals(List.of("v=2", "v=7"), twin.read("SELECT v FROM T WHERE p = 0"));
        twin.run("SELECT v FROM T WHERE p = 0 AND c = NaN");
        twin.run("SELECT v FROM T WHERE p = 0 AND c > Infinity");
        twin.run("SELECT v FROM T WHERE p = 0 AND c IN (1.0, Infinity, " + NANS[2] + ')');
        twin.run("DELETE FROM T WHERE p = 1 AND c = NaN");
        assertEquals(List.of(), twin.read("SELECT v FROM T WHERE p = 1"));
    }

    @Test
    void elementsAreAsTheirTypeComparesThem(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "elements", "p int PRIMARY KEY, d set<double>, m map<double, int>, "
                + "e set<frozen<tuple<int, text>>>");
        twin.run("INSERT INTO T (p, d, m) VALUES (1, {1.0, " + NANS[2] + "}, {1.0: 1, " + NANS[2] + ": 2})");
        twin.run("UPDATE T SET m[NaN] = 3, d = d + {" + NANS[1] + "} WHERE p = 1");
        twin.run("SELECT m[" + NANS[1] + "] FROM T");
        twin.run("INSERT INTO T (p, e) VALUES (2, {(null, 'a'), (blob_as_int(0x), 'a')})");
        twin.sameAndNotEmpty();
        twin.run("UPDATE T SET e = e - {(null, 'a')}, d = d - {NaN} WHERE p IN (1, 2)");
        assertEquals(List.of("p=1, d={1.0}", "p=2, d=null"), twin.read("SELECT p, d FROM T"));
        twin.sameAndNotEmpty();
    }
}
