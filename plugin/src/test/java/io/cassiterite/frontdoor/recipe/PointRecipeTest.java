/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Recipes of statements that name one row. */
@OwnJvm
class PointRecipeTest
{
    private static TestSchema schema;
    private static TableMetadata pairs;

    @BeforeAll
    static void create()
    {
        schema = new TestSchema();
        pairs = schema.create("CREATE TABLE k.kv (k int PRIMARY KEY, v text, w blob)");
        schema.create("CREATE TABLE k.two (a int, b text, c1 int, c2 text, s int static, v text, w int, PRIMARY KEY ((a, b), c1, c2))"
                      + " WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC)");
        schema.create("CREATE TABLE k.flags (k boolean, c boolean, d boolean, v int, PRIMARY KEY (k, c, d))");
        schema.create("CREATE TABLE k.same (k int, c int, d int, PRIMARY KEY (k, c, d))");
    }

    private static String read(String cql)
    {
        Learned learned = schema.learn(cql);
        assertNull(learned.refusal(), cql);
        return new RecipeDump(learned.recipe()).read;
    }

    @Test
    void theKeyIsABindVariable()
    {
        assertEquals("key ?0 int\nclustering \nrows ()\nflags returns-static\ncolumns key 0, #11, #12\nfetched #11, #12 static ",
                     read("SELECT * FROM k.kv WHERE k = ?"));
    }

    @Test
    void theKeyIsAConstant()
    {
        assertEquals("key 0x00000005\nclustering \nrows ()\nflags returns-static\ncolumns #11\nfetched #11, #12 static ",
                     read("SELECT v FROM k.kv WHERE k = 5"));
    }

    @Test
    void columnsComeInTheOrderOfTheStatementAndAllRegularsAreFetched()
    {
        assertEquals("key ?0 int\nclustering \nrows ()\nflags returns-static\ncolumns #12, key 0, #11\nfetched #11, #12 static ",
                     read("SELECT w, k, v FROM k.kv WHERE k = :key"));
    }

    @Test
    void variablesAreFoundInTheirOrderInTheStatement()
    {
        String rest = "\nclustering int desc, text\nrows (?0 int, ?3 text)\ncolumns #12\nfetched #12, #13 static ";
        assertEquals("key ?2 int, ?1 text" + rest, read("SELECT v FROM k.two WHERE c1 = ? AND b = ? AND a = ? AND c2 = ?"));
        assertEquals("key ?2 int, ?1 text" + rest, read("SELECT v FROM k.two WHERE c1 = ? AND b = ? AND a = ? AND (c2) = (?)"));
    }

    @Test
    void staticColumnsAreFetchedIfTheyAreSelected()
    {
        assertEquals("key ?0 int, 0x78\nclustering int desc, text\nrows (0x00000004, ?1 text)\nflags static\n"
                     + "columns static #11, clustering 1\nfetched #12, #13 static #11",
                     read("SELECT s, c2 FROM k.two WHERE a = ? AND b = 'x' AND c1 = 4 AND c2 = ?"));
    }

    @Test
    void limitsAreToldApartFromOtherVariables()
    {
        assertEquals("key ?0 int\nclustering \nrows ()\nflags returns-static\nlimit ?1\ncolumns #11\nfetched #11, #12 static ",
                     read("SELECT v FROM k.kv WHERE k = ? LIMIT ?"));
        assertEquals("key ?0 int\nclustering \nrows ()\nflags returns-static\nlimit ?2\nper partition limit ?1\ncolumns #11\n"
                     + "fetched #11, #12 static ",
                     read("SELECT v FROM k.kv WHERE k = ? PER PARTITION LIMIT :p LIMIT :l"));
        assertEquals("key ?0 int\nclustering \nrows ()\nflags returns-static\nlimit 3\ncolumns #11\nfetched #11, #12 static ",
                     read("SELECT v FROM k.kv WHERE k = ? LIMIT 3"));
    }

    @Test
    void booleansAreToldApartByManyProbes()
    {
        assertEquals("key ?1 boolean\nclustering boolean, boolean\nrows (?2 boolean, ?0 boolean)\ncolumns #11\nfetched #11 static ",
                     read("SELECT v FROM k.flags WHERE d = ? AND k = ? AND c = ?"));
        assertEquals("key ?0 boolean\nclustering boolean, boolean\nrows (0x01, ?1 boolean)\ncolumns #11\nfetched #11 static ",
                     read("SELECT v FROM k.flags WHERE k = ? AND c = true AND d = ?"));
    }

    @Test
    void aTableWithoutOtherColumnsHasARecipe()
    {
        assertEquals("key ?1 int\nclustering int, int\nrows (?0 int, ?2 int)\ncolumns key 0, clustering 0, clustering 1\nfetched  static ",
                     read("SELECT * FROM k.same WHERE c = ? AND k = ? AND d = ?"));
    }

    @Test
    void orderByIsAReversedReadAlsoOfOneRow()
    {
        assertEquals("key ?0 int, ?1 text\nclustering int desc, text\nrows (?2 int, ?3 text)\nflags reversed\ncolumns #12\n"
                     + "fetched #12, #13 static ",
                     read("SELECT v FROM k.two WHERE a = ? AND b = ? AND c1 = ? AND c2 = ? ORDER BY c1 ASC, c2 DESC"));
    }

    @Test
    void theHeadNamesTheStatementAndTheTable()
    {
        String cql = "SELECT v FROM k.kv WHERE k = ?";
        QueryHandler.Prepared prepared = QueryProcessor.parseAndPrepare(cql, ClientState.forInternalCalls(), false, false);
        Learned learned = schema.learn(prepared);
        RecipeDump recipe = new RecipeDump(learned.recipe());
        assertEquals(TestSchema.id(prepared), recipe.statement);
        assertEquals(pairs.id.asUUID(), recipe.table);
        assertEquals(1, recipe.binds);
        assertEquals(prepared.resultMetadataId, recipe.metadataId);
        assertTrue(recipe.metadataIsAsPrepared);
        assertEquals(pairs.id, learned.table());
        assertSame(prepared.statement, learned.statement());
        assertEquals(cql, learned.query());
    }
}
