/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.utils.ByteBufferUtil;

import io.cassiterite.OwnJvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The bytes of recipes are pinned, for the door reads them in another language. Lines of the file: hex bytes, tab, statement. */
@OwnJvm
class GoldenRecipeTest
{
    private final TestSchema schema = new TestSchema();

    @Test
    void recipesAreTheGoldenOnes() throws IOException
    {
        schema.create("CREATE TABLE k.kv (k int PRIMARY KEY, v text, w blob)");
        schema.create("CREATE TABLE k.two (a int, b text, c1 int, c2 text, s int static, v text, w int, PRIMARY KEY ((a, b), c1, c2))"
                      + " WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC)");
        schema.createType("CREATE TYPE k.place (x int, y int)");
        schema.create("CREATE TABLE k.many (k uuid, c timestamp, s set<int>, l list<text>, m map<text, int>, u place, f frozen<place>,"
                      + " PRIMARY KEY (k, c))");
        schema.create("CREATE TABLE k.counts (k int, c boolean, n counter, PRIMARY KEY (k, c))");
        Map<String, String> golden = golden();
        Map<String, String> found = new TreeMap<>();
        for (String cql : golden.keySet())
        {
            Learned learned = schema.learn(cql);
            assertNull(learned.refusal(), cql);
            found.put(cql, ByteBufferUtil.bytesToHex(ByteBuffer.wrap(learned.recipe())));
        }
        assertEquals(lines(golden), lines(found));
    }

    private static String lines(Map<String, String> recipes)
    {
        return recipes.entrySet().stream().map(recipe -> recipe.getValue() + '\t' + recipe.getKey()).collect(Collectors.joining("\n"));
    }

    private static Map<String, String> golden() throws IOException
    {
        Map<String, String> recipes = new TreeMap<>();
        try (InputStream file = GoldenRecipeTest.class.getResourceAsStream("/golden/recipes-v1.txt"))
        {
            for (String line : new String(file.readAllBytes(), UTF_8).split("\n"))
                recipes.put(line.substring(line.indexOf('\t') + 1), line.substring(0, line.indexOf('\t')));
        }
        return recipes;
    }
}
