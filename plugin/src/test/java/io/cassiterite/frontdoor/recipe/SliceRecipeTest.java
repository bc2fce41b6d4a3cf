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

/** Recipes of statements that name slices of a partition, or several rows. */
@OwnJvm
class SliceRecipeTest
{
    private static final String DATES = "\ncolumns key 0, clustering 0, clustering 1, #11\nfetched #11 static ";

    private static TestSchema schema;

    @BeforeAll
    static void create()
    {
        schema = new TestSchema();
        schema.create("CREATE TABLE k.up (k int, c int, d text, v int, PRIMARY KEY (k, c, d))");
        schema.create("CREATE TABLE k.down (k int, c int, d text, v int, PRIMARY KEY (k, c, d)) WITH CLUSTERING ORDER BY (c DESC, d DESC)");
        schema.create("CREATE TABLE k.mixed (k int, c int, d text, v int, PRIMARY KEY (k, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)");
        schema.create("CREATE TABLE k.statics (k int, c int, s int static, v int, t text static, PRIMARY KEY (k, c))");
        schema.create("CREATE TABLE k.flags (k int, c boolean, d boolean, v int, PRIMARY KEY (k, c, d))");
        schema.create("CREATE TABLE k.numbers (k int, c decimal, d varint, v int, PRIMARY KEY (k, c, d))");
    }

    private static String read(String cql)
    {
        Learned learned = schema.learn(cql);
        assertNull(learned.refusal(), cql);
        return new RecipeDump(learned.recipe()).read;
    }

    private static void assertSlices(String expected, String table, String where)
    {
        String order = table.equals("up") ? "int, text" : table.equals("down") ? "int desc, text desc" : "int desc, text";
        String flags = where.isEmpty() ? "\nflags returns-static" : "";
        assertEquals("key ?0 int\nclustering " + order + "\nslices " + expected + flags + DATES,
                     read("SELECT * FROM k." + table + " WHERE k = ?" + where));
    }

    private static void assertRefused(RecipeRefusal reason, String cql)
    {
        assertEquals(reason, schema.learn(cql).refusal(), cql);
    }

    @Test
    void aWholePartition()
    {
        for (String table : List.of("up", "down", "mixed"))
            assertSlices("[ .. ]", table, "");
    }

    @Test
    void rowsThatShareTheFirstColumns()
    {
        for (String table : List.of("up", "down", "mixed"))
            assertSlices("[?1 int .. ?1 int]", table, " AND c = ?");
        assertSlices("[0x00000004 .. 0x00000004]", "up", " AND c = 4");
    }

    @Test
    void boundsAreSwappedInDescendingOrder()
    {
        assertSlices("[?1 int .. ?2 int)", "up", " AND c >= ? AND c < ?");
        assertSlices("[?2 int .. ?1 int)", "up", " AND c < ? AND c >= ?");
        assertSlices("(?2 int .. ?1 int]", "down", " AND c >= ? AND c < ?");
        assertSlices("(?1 int .. ]", "up", " AND c > ?");
        assertSlices("[ .. ?1 int)", "down", " AND c > ?");
        assertSlices("[?1 int .. ]", "mixed", " AND c <= ?");
    }

    @Test
    void boundsOfTheSecondColumn()
    {
        assertSlices("(?1 int, ?2 text .. ?1 int]", "up", " AND c = ? AND d > ?");
        assertSlices("[?1 int .. ?1 int, ?2 text)", "down", " AND c = ? AND d > ?");
        assertSlices("(?1 int, ?2 text .. ?1 int, 0x79)", "mixed", " AND c = ? AND d > ? AND d < 'y'");
        assertSlices("[?1 int, ?3 text .. ?1 int, ?2 text]", "up", " AND c = ? AND d <= ? AND d >= ?");
    }

    @Test
    void boundsOfSeveralColumnsTogether()
    {
        assertSlices("(?1 int, ?2 text .. ]", "up", " AND (c, d) > (?, ?)");
        assertSlices("[ .. ?1 int, ?2 text)", "down", " AND (c, d) > (?, ?)");
        assertSlices("[?1 int, ?2 text .. ?3 int]", "up", " AND (c, d) >= (?, ?) AND (c) <= (?)");
        assertSlices("[ .. ?1 int), (?1 int, ?2 text .. ?1 int]", "mixed", " AND (c, d) > (?, ?)");
    }

    /** Which slices these are depends on the values. */
    @Test
    void slicesThatComeAndGo()
    {
        assertRefused(RecipeRefusal.UNEXPLAINED, "SELECT v FROM k.mixed WHERE k = ? AND (c, d) > (?, ?) AND (c, d) < (?, ?)");
        assertRefused(RecipeRefusal.UNEXPLAINED, "SELECT v FROM k.up WHERE k = ? AND c IN (?, ?) AND d > ?");
        assertRefused(RecipeRefusal.UNEXPLAINED, "SELECT v FROM k.up WHERE k = ? AND c IN (?, ?)");
    }

    @Test
    void constantsAmongVariables()
    {
        assertSlices("(?1 int .. 0x00000064]", "up", " AND c > ? AND c <= 100");
        assertSlices("[0x80000001 .. ?1 int]", "up", " AND c >= -2147483647 AND c <= ?");
        assertRefused(RecipeRefusal.NO_READ, "SELECT v FROM k.up WHERE k = ? AND c > 2147483646 AND c < ?");
    }

    @Test
    void orderAndLimits()
    {
        String read = "key ?0 int\nclustering int desc, text\nslices (?1 int .. ?2 int)\n";
        String columns = "columns #11\nfetched #11 static ";
        assertEquals(read + columns, read("SELECT v FROM k.mixed WHERE k = ? AND c < ? AND c > ? ORDER BY c DESC"));
        assertEquals(read + "flags reversed\nlimit ?3\n" + columns,
                     read("SELECT v FROM k.mixed WHERE k = ? AND c < ? AND c > ? ORDER BY c ASC LIMIT ?"));
        assertEquals(read + "flags reversed\nlimit 10\nper partition limit ?3\n" + columns,
                     read("SELECT v FROM k.mixed WHERE k = ? AND c < ? AND c > ? ORDER BY c ASC, d DESC PER PARTITION LIMIT ? LIMIT 10"));
    }

    @Test
    void severalRows()
    {
        String columns = "\ncolumns #11\nfetched #11 static ";
        assertEquals("key ?3 int\nclustering int desc, text\nrows (?2 int, ?0 text), (?2 int, ?1 text)" + columns,
                     read("SELECT v FROM k.mixed WHERE d IN (?, ?) AND c = ? AND k = ?"));
        assertEquals("key ?0 int\nclustering int, text\nrows (?1 int, ?3 text), (?1 int, ?4 text), (?2 int, ?3 text), (?2 int, ?4 text)"
                     + columns, read("SELECT v FROM k.up WHERE k = ? AND c IN (?, ?) AND d IN (?, ?)"));
        assertEquals("key ?0 int\nclustering int, text\nrows (?1 int, ?2 text), (?3 int, ?4 text)\nflags reversed" + columns,
                     read("SELECT v FROM k.up WHERE k = ? AND (c, d) IN ((?, ?), (?, ?)) ORDER BY c DESC"));
        assertEquals("key ?0 int\nclustering int, text\nrows (?1 int, ?2 text), (?1 int, 0x78)" + columns,
                     read("SELECT v FROM k.up WHERE k = ? AND c = ? AND d IN ('x', ?)"));
        assertEquals("key ?0 int\nclustering int, text\nrows (?1 int, ?2 text)" + columns,
                     read("SELECT v FROM k.up WHERE k = ? AND c = ? AND d IN (?)"));
        assertEquals("key ?0 int\nclustering decimal, varint\nrows (?1 decimal, ?2 varint), (?1 decimal, ?3 varint)" + columns,
                     read("SELECT v FROM k.numbers WHERE k = ? AND c = ? AND d IN (?, ?)"));
    }

    @Test
    void severalBooleansCannotBeToldApart()
    {
        assertRefused(RecipeRefusal.UNEXPLAINED, "SELECT v FROM k.flags WHERE k = ? AND c = ? AND d IN (?, ?)");
        assertRefused(RecipeRefusal.BIND_TYPE, "SELECT v FROM k.flags WHERE k = ? AND c = ? AND d IN ?");
    }

    @Test
    void staticContentOfPartitionsWithoutRows()
    {
        String partition = "key ?0 int\nclustering int\nslices [ .. ]\n";
        assertEquals(partition + "flags static returns-static\ncolumns key 0, clustering 0, static #11, static #12, #13\n"
                     + "fetched #13 static #11, #12", read("SELECT * FROM k.statics WHERE k = ?"));
        assertEquals(partition + "flags static returns-static\ncolumns #13\nfetched #13 static #11, #12",
                     read("SELECT v FROM k.statics WHERE k = ?"));
        assertEquals(partition + "flags static returns-static\nlimit 1\ncolumns static #11\nfetched #13 static #11, #12",
                     read("SELECT s FROM k.statics WHERE k = ? LIMIT 1"));
        assertEquals("key ?0 int\nclustering int\nslices (?1 int .. ]\ncolumns #13\nfetched #13 static ",
                     read("SELECT v FROM k.statics WHERE k = ? AND c > ?"));
        assertEquals("key ?0 int\nclustering int\nslices (?1 int .. ]\nflags static\ncolumns #13, static #12\nfetched #13 static #12",
                     read("SELECT v, t FROM k.statics WHERE k = ? AND c > ?"));
        assertEquals("key ?0 int\nclustering int\nslices (?1 int .. ?2 int)\nflags static\ncolumns static #11, #13\nfetched #13 static #11",
                     read("SELECT s, v FROM k.statics WHERE k = ? AND c > ? AND c < ?"));
    }
}
