/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RestoreOptionsTest
{
    @Test
    void nothingIsLoadedUnlessItIsAskedFor()
    {
        assertFalse(parse("kept").isRun);
        assertTrue(parse("--run", "kept").isRun);
    }

    @Test
    void increments()
    {
        assertFalse(parse("kept").withIncrements);
        assertTrue(parse("kept", "--increments").withIncrements);
        assertTrue(parse("/backup").withIncrements, "they are in a folder because somebody has put them there");
        assertFalse(parse("/backup", "--no-increments").withIncrements);
    }

    @Test
    void tablesAreNarrowed()
    {
        RestoreOptions options = parse("kept", "--keyspace", "shop", "--table", "orders", "--table", "items");
        assertEquals(Set.of("orders", "items"), options.tables);
        assertTrue(options.isWanted("shop", "items") && options.isWanted("", ""), "what is not known may be one of them");
        assertFalse(options.isWanted("shop", "other") || options.isWanted("other", "items"));
        assertTrue(parse("/x", "--snapshot", "a").isWantedSnapshot("a") && parse("/x", "--snapshot", "a").isWantedSnapshot(""));
        assertFalse(parse("/x", "--snapshot", "a").isWantedSnapshot("b"));
    }

    @Test
    void badInputIsRefused()
    {
        assertRefused("name a snapshot");
        assertRefused("no option --rum", "kept", "--rum");
        assertRefused("not both", "kept", "/backup");
        assertRefused("--table needs --keyspace", "kept", "--table", "orders");
        assertRefused("--keyspace needs a value", "kept", "--keyspace", "--run");
        assertRefused("--keyspace is given twice", "kept", "--keyspace", "a", "--keyspace", "b");
        assertRefused("names a snapshot already", "kept", "--snapshot", "other");
        assertRefused("relative path", "backup/x");
    }

    private static void assertRefused(String why, String... words)
    {
        String told = assertThrows(IllegalArgumentException.class, () -> parse(words)).getMessage();
        assertTrue(told.contains(why), told);
    }

    static RestoreOptions parse(String... words)
    {
        String[] all = new String[words.length + 2];
        System.arraycopy(words, 0, all, 2, words.length);
        return RestoreOptions.parse(all);
    }
}
