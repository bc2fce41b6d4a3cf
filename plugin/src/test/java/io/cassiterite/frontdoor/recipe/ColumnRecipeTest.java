/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Recipes of tables with columns of all kinds and types. */
@OwnJvm
class ColumnRecipeTest
{
    private static final List<String> KEY_TYPES = List.of("ascii", "bigint", "blob", "boolean", "decimal", "double", "float", "int",
                                                          "timestamp", "uuid", "text", "varint", "timeuuid", "inet", "date", "time",
                                                          "smallint", "tinyint");

    private static TestSchema schema;

    @BeforeAll
    static void create()
    {
        schema = new TestSchema();
        schema.createType("CREATE TYPE k.place (x int, y int, z int)");
        schema.create("CREATE TABLE k.many (k int, c int, s1 set<int> static, s2 frozen<set<int>> static, s3 int static, v1 set<int>,"
                      + " v2 list<text>, v3 map<text, frozen<list<int>>>, v4 place, v5 frozen<place>, v6 frozen<list<int>>, "
                      + " v7 tuple<int, text>, v8 vector<float, 2>, v9 duration, PRIMARY KEY (k, c))");
        schema.create("CREATE TABLE k.counts (k int, c int, s counter static, n counter, PRIMARY KEY (k, c))");
    }

    private static String read(String cql)
    {
        Learned learned = schema.learn(cql);
        assertNull(learned.refusal(), cql);
        return new RecipeDump(learned.recipe()).read;
    }

    private static String columns(String cql)
    {
        String read = read(cql);
        return read.substring(read.indexOf("columns "));
    }

    @Test
    void columnsOfManyCellsHaveEncoders()
    {
        String fetched = "\nfetched #14, #15, #16, #17, #18, #19, #20, #21, #22 static ";
        assertEquals("columns key 0, clustering 0, static #13 set, static #11, static #12, #19 set, #20 list, #21 map, #22 udt of 3,"
                     + " #14, #15, #16, #17, #18" + fetched + "#11, #12, #13",
                     columns("SELECT * FROM k.many WHERE k = ? AND c = ?"));
        assertEquals("columns #22 udt of 3, static #13 set, #19 set" + fetched + "#13",
                     columns("SELECT v4, s1, v1 FROM k.many WHERE k = ? AND c > ?"));
    }

    @Test
    void countersHaveAnEncoder()
    {
        assertEquals("columns #12 counter\nfetched #12 static ", columns("SELECT n FROM k.counts WHERE k = ? AND c = ?"));
        assertEquals("columns key 0, clustering 0, static #11 counter, #12 counter\nfetched #12 static #11",
                     columns("SELECT * FROM k.counts WHERE k = ?"));
    }

    @Test
    void everyTypeThatTheDoorKnowsMayBeInTheKey()
    {
        for (String type : KEY_TYPES)
        {
            String table = "of_" + type;
            schema.create("CREATE TABLE k." + table + " (k " + type + ", l " + type + ", c " + type + ", d " + type + ", v int,"
                          + " PRIMARY KEY ((k, l), c, d)) WITH CLUSTERING ORDER BY (c ASC, d DESC)");
            assertEquals(String.format("key ?1 %1$s, ?0 %1$s\nclustering %1$s, %1$s desc\nrows (?3 %1$s, ?2 %1$s)\ncolumns #11\n"
                                       + "fetched #11 static ", type),
                         read("SELECT v FROM k." + table + " WHERE l = ? AND k = ? AND d = ? AND c = ?"));
            assertEquals(String.format("key ?0 %1$s, ?1 %1$s\nclustering %1$s, %1$s desc\nslices [?2 %1$s .. ?3 %1$s]\ncolumns #11\n"
                                       + "fetched #11 static ", type),
                         read("SELECT v FROM k." + table + " WHERE k = ? AND l = ? AND c >= ? AND c <= ?"));
        }
    }
}
