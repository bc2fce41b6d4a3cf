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

/** Lists, sets and maps, frozen and cell by cell; tuples and user types. */
@NodeTest
class CollectionsTest
{
    @Test
    void listsAreChangedElementByElement(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "lists", "p int PRIMARY KEY, l list<text>, f frozen<list<int>>");
        twin.run("INSERT INTO T (p, l, f) VALUES (1, ['a', 'b', 'c'], [1, 2])");
        twin.run("UPDATE T SET l = l + ['d'] WHERE p = 1");
        twin.run("UPDATE T SET l = ['z'] + l WHERE p = 1");
        twin.run("UPDATE T SET l[1] = 'A' WHERE p = 1");
        twin.run("DELETE l[2] FROM T WHERE p = 1");
        twin.run("UPDATE T SET l = l - ['d'], f = [] WHERE p = 1");
        twin.run("UPDATE T SET l[9] = 'x' WHERE p = 1");
        assertEquals(List.of("p=1, f=[], l=['z','A','c']"), twin.read("SELECT * FROM T"));
        twin.run("UPDATE T SET l = ['new'] WHERE p = 1");
        assertEquals(List.of("l=['new']"), twin.read("SELECT l FROM T WHERE p = 1"));
        twin.run("UPDATE T SET l = null WHERE p = 1");
        assertEquals(List.of("l=null"), twin.read("SELECT l FROM T WHERE p = 1"));
    }

    @Test
    void setsAndMapsAreChangedElementByElement(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "maps", "p int PRIMARY KEY, s set<int>, m map<text, int>, f frozen<map<int, text>>");
        twin.run("INSERT INTO T (p, s, m, f) VALUES (1, {3, 1, 2}, {'a': 1, 'b': 2}, {1: 'x'}) USING TIMESTAMP 10");
        twin.run("UPDATE T USING TIMESTAMP 20 SET s = s + {-5, 9}, m['c'] = 3, m['a'] = 7 WHERE p = 1");
        twin.run("UPDATE T USING TIMESTAMP 15 SET m['a'] = 8, s = s - {9} WHERE p = 1");
        twin.run("DELETE m['b'], s[2] FROM T USING TIMESTAMP 30 WHERE p = 1");
        twin.run("SELECT p, m['a'], m['a'..'b'], s[1], writetime(m), ttl(s), maxwritetime(m) FROM T");
        assertEquals(List.of("p=1, f={1:'x'}, m={'a':7,'c':3}, s={-5,1,3,9}"), twin.read("SELECT * FROM T"));
        twin.run("UPDATE T USING TIMESTAMP 25 SET m = {'n': 1}, s = {} WHERE p = 1");
        assertEquals(List.of("m={'n':1}, s=null"), twin.read("SELECT m, s FROM T"));
        twin.run("SELECT * FROM T WHERE m CONTAINS 1 ALLOW FILTERING");
        twin.run("SELECT * FROM T WHERE m CONTAINS KEY 'a' ALLOW FILTERING");
    }

    @Test
    void tuplesKeepNullsInside(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "tuples", "p int, c tuple<int, text>, v tuple<int, frozen<list<text>>, double>, "
                + "PRIMARY KEY (p, c)");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, (1, 'a'), (1, ['x'], 1.5))");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, (1, null), (null, null, null))");
        twin.run("INSERT INTO T (p, c, v) VALUES (1, (null, 'a'), (1, [], 0))");
        twin.run("INSERT INTO T (p, c) VALUES (1, (-1, ''))");
        twin.sameAndNotEmpty();
        twin.run("SELECT * FROM T WHERE p = 1 AND c > (1, null)");
    }

    @Test
    void userTypesAreChangedFieldByField(Cql cql)
    {
        cql.run("CREATE TYPE IF NOT EXISTS address (street text, number int, tags frozen<set<text>>)");
        TwinTables twin = TwinTables.create(cql, "users", "p int PRIMARY KEY, a address, f frozen<address>, l list<frozen<address>>");
        twin.run("INSERT INTO T (p, a, f, l) VALUES (1, {street: 's', number: 1}, {street: 'f'}, [{number: 3}]) USING TIMESTAMP 10");
        twin.run("UPDATE T USING TIMESTAMP 20 SET a.number = 2, a.tags = {'x'} WHERE p = 1");
        twin.run("UPDATE T USING TIMESTAMP 15 SET a.number = 9, a.street = 'later' WHERE p = 1");
        twin.run("DELETE a.tags FROM T USING TIMESTAMP 30 WHERE p = 1");
        twin.run("SELECT a.street, a.number, f.street, writetime(a), ttl(a) FROM T");
        assertEquals(List.of("a={street:'later',number:2,tags:{}}"), twin.read("SELECT a FROM T"));
        cql.run("ALTER TYPE address ADD country text");
        twin.same();
        twin.run("UPDATE T USING TIMESTAMP 40 SET a.country = 'is', f = {country: 'no'} WHERE p = 1");
        twin.sameAndNotEmpty();
        twin.run("UPDATE T USING TIMESTAMP 50 SET a = null WHERE p = 1");
        twin.sameAndNotEmpty();
    }
}
