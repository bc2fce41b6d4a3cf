/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Indexes that transform texts before they compare them find what SAI finds with the same options. */
@NodeTest
class IndexedTextsTest
{
    private static final String COLUMNS = "(p int, c int, s text static, v text, a ascii, w int, e set<text>, l list<text>,"
                                          + " m map<text, text>, PRIMARY KEY (p, c))";
    private static final List<String> SIDES = List.of("stock", "engine");
    private static final List<String> TARGETS = List.of("s", "v", "a", "e", "l", "keys(m)", "values(m)");
    /** Composed and decomposed, with and without marks, in cases of several scripts. */
    private static final List<String> TEXTS = List.of("abc", "ABC", "Abc", "\u00e4bc", "\u00c4BC", "a\u0308bc", "A\u0308BC",
                                                      "\u00dfx", "ssx", "\u0130x", "ix", "\u03a3", "\u03c3", "\u03c2", "", " abc");
    private static final List<String> PREDICATES = List.of("s = ?", "v = ?", "e CONTAINS ?", "l CONTAINS ?", "m CONTAINS KEY ?",
                                                           "m CONTAINS ?", "v = ? AND w > 3", "e CONTAINS ? AND w = 1", "p = 1 AND v = ?");

    private final Node node;
    private final Cql cql;

    IndexedTextsTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    private void tables(String options)
    {
        for (String side : SIDES)
        {
            cql.run("DROP TABLE IF EXISTS " + side);
            cql.run("CREATE TABLE " + side + ' ' + COLUMNS + " WITH memtable = '" + (side.equals("stock") ? "trie" : "cassiterite") + '\'');
            for (int i = 0; i < TARGETS.size(); i++)
            {
                cql.run("CREATE INDEX " + side + '_' + i + " ON " + side + " (" + TARGETS.get(i) + ") USING 'sai' WITH OPTIONS = "
                        + options);
                Indexes.awaitBuilt(cql, "indexedtextstest", side + '_' + i);
            }
        }
    }

    private void write(int round)
    {
        for (String side : SIDES)
            for (int i = 0; i < TEXTS.size(); i++)
            {
                String text = TEXTS.get((i + round) % TEXTS.size());
                String other = TEXTS.get((i * 5 + 3) % TEXTS.size());
                cql.run("UPDATE " + side + " SET s = ?, v = ?, a = ?, w = ?, e = ?, l = ?, m = ? WHERE p = ? AND c = ?", text, text,
                        i % 2 == 0 ? "abc" : "ABC", i % 5, Set.copyOf(List.of(text, text.toUpperCase(Locale.ROOT), other)),
                        List.of(other, text), Map.of(text, other), i % 4, i);
                // another text, which is the same to the index, may stay
                if (round > 0 && i % 4 < 2)
                    cql.run("UPDATE " + side + " SET e = e - ?, l[0] = 'gone' WHERE p = ? AND c = ?", Set.of(text), i % 4, i);
            }
    }

    @ParameterizedTest
    @ValueSource(strings = { "{'case_sensitive': 'false'}", "{'normalize': 'true'}", "{'ascii': 'true'}",
                             "{'case_sensitive': 'False', 'normalize': 'TRUE', 'ascii': 'true'}",
                             "{'case_sensitive': 'true', 'ascii': 'false'}" })
    void textsAreFoundAsSaiFindsThem(String options)
    {
        tables(options);
        for (int round = 0; round < 3; round++)
        {
            write(round);
            compare("round " + round);
            // the first queries have removed entries that they found stale
            compare("again, round " + round);
        }
        node.flush("indexedtextstest");
        node.compact("indexedtextstest", "engine");
        compare("compacted");
        node.nodetool("rebuild_index", "indexedtextstest", "engine", "engine_1").success();
        compare("built again");
    }

    private void compare(String when)
    {
        for (String predicate : PREDICATES)
            for (String text : TEXTS)
            {
                String where = " WHERE " + predicate + (predicate.contains("w ") ? " ALLOW FILTERING" : "");
                // SAI has no entries of empty texts
                if (!text.isEmpty())
                    assertEquals(cql.texts("SELECT * FROM stock" + where, text), cql.texts("SELECT * FROM engine" + where, text),
                                 () -> when + ": " + predicate + ", " + text);
            }
        for (String text : List.of("abc", "ABC", "aBC"))
            assertEquals(cql.texts("SELECT * FROM stock WHERE a = ?", text), cql.texts("SELECT * FROM engine WHERE a = ?", text), when);
    }

    @Test
    void aPredicateThatLeadsToNoRowsComparesAlike()
    {
        tables("{'case_sensitive': 'false'}");
        write(0);
        cql.run("CREATE INDEX engine_w ON engine (w)");
        Indexes.awaitBuilt(cql, "indexedtextstest", "engine_w");
        List<String> found = cql.texts("SELECT p, c FROM engine WHERE w = 1 AND v = 'aBC'");
        assertFalse(found.isEmpty());
        assertEquals(cql.texts("SELECT p, c FROM stock WHERE v = 'aBC' AND w = 1 ALLOW FILTERING"), found);
    }

    @Test
    void rangesAreNotAnsweredByTransformedTexts()
    {
        tables("{'case_sensitive': 'false'}");
        for (String side : SIDES)
            assertTrue(cql.refusal("SELECT * FROM " + side + " WHERE v > 'a'").contains("ALLOW FILTERING"), side);
    }

    @Test
    void whatSaiRefusesIsRefusedInItsWords()
    {
        tables("{'case_sensitive': 'false'}");
        for (String statement : List.of("(c) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false'}",
                                        "(w) USING 'sai' WITH OPTIONS = {'normalize': 'true'}",
                                        "(entries(m)) USING 'sai' WITH OPTIONS = {'ascii': 'true'}",
                                        "(w) USING 'sai' WITH OPTIONS = {'ascii': 'perhaps'}"))
            assertEquals(cql.refusal("CREATE INDEX ON stock " + statement), cql.refusal("CREATE INDEX ON engine " + statement));
    }

    @Test
    void twoTransformsOfOneTargetAreRefused()
    {
        tables("{'case_sensitive': 'false'}");
        assertTrue(cql.refusal("CREATE INDEX ON engine (v)").contains("drop it first"));
        assertTrue(cql.refusal("CREATE INDEX ON engine (v) USING 'sai' WITH OPTIONS = {'ascii': 'true'}").contains("drop it first"));
        String described = cql.rows("DESCRIBE INDEX engine_1").get(0).getString("create_statement");
        assertTrue(described.contains("'case_sensitive': 'false'"), described);
    }
}
