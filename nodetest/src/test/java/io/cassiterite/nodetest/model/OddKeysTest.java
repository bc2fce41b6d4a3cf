/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.data.ByteUtils;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.RowText;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Clusterings of bytes that pass Cassandra's checks, though no driver writes them, in a stock table and in an engine
 * table. The stock one has the skip list and sstables of the big format: tries fail on most of them.
 */
@NodeTest(own = true, yaml = "sstable: {selected_format: big}")
class OddKeysTest
{
    private static final String KEYSPACE = OddKeysTest.class.getSimpleName().toLowerCase();
    private static final int STEPS = 40;
    private static final String[] NEGATIVE = { "ffffffff", "fffffffe", "80000000", "00000000", "000000010000000400000001" };
    private static final String[] WITHIN = { "00000004ffffffff", "00000004fffffffe", "0000000400000000", "", "ffffffff" };
    private static final String[] STATEMENTS = {
        "INSERT INTO T (p, c, v) VALUES (1, ?, 1) USING TIMESTAMP AT_", "UPDATE T USING TIMESTAMP AT_ SET v = 2 WHERE p = 1 AND c = ?",
        "INSERT INTO T (p, c, v) VALUES (1, ?, 3) USING TIMESTAMP AT_", "DELETE FROM T USING TIMESTAMP AT_ WHERE p = 1 AND c = ?",
        "DELETE FROM T USING TIMESTAMP AT_ WHERE p = 1 AND c > ?"
    };
    /** Different ones: of equal keys, Cassandra keeps the bytes of the first. */
    private static final String[] LONG = { "00000000000000000000000001", "02", "ffffffffffffffffffffff80", "0000", "" };

    private final Random random = new Random(7);
    private final Node node;
    private final Cql cql;

    OddKeysTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    @Test
    void oddBytesAreKeysAsInAStockTable()
    {
        cql.run("CREATE TYPE holder (l frozen<list<int>>)");
        List<Pair> pairs = List.of(new Pair("frozen<list<int>>", "DESC", NEGATIVE),
                                   new Pair("frozen<set<int>>", "DESC", NEGATIVE),
                                   new Pair("frozen<map<int, int>>", "DESC", "ffffffff", "fffffffe", "00000000"),
                                   new Pair("tuple<frozen<list<int>>>", "ASC", WITHIN),
                                   new Pair("tuple<frozen<list<int>>>", "DESC", WITHIN),
                                   new Pair("frozen<holder>", "DESC", WITHIN), new Pair("frozen<holder>", "ASC", WITHIN),
                                   new Pair("vector<frozen<list<int>>, 1>", "ASC", "04ffffffff", "04fffffffe", "0400000000"),
                                   new Pair("varint", "ASC", LONG), new Pair("varint", "DESC", LONG));
        for (Pair pair : pairs)
            pair.run();
        node.flush(KEYSPACE);
        for (Pair pair : pairs)
            pair.same();
        node.restart();
        try (Cql again = node.cql(KEYSPACE))
        {
            for (Pair pair : pairs)
                pair.same(again);
        }
        assertEquals(List.of(), node.log().errors());
    }

    /** Cassandra's comparator fails on it, and so each query that meets it. The engine takes it, and its deletion. */
    @Test
    void aDecimalWithoutDigitsIsAKey()
    {
        cql.run("CREATE TABLE digits (p int, c decimal, v int, PRIMARY KEY (p, c)) WITH memtable = 'cassiterite'");
        cql.run("CREATE TABLE digits_in_a_map (p int PRIMARY KEY, m map<decimal, int>) WITH memtable = 'cassiterite'");
        insertDecimal("00000000");
        insertDecimal("00000001");
        cql.run("INSERT INTO digits (p, c, v) VALUES (1, 1.5, 1)");
        execute("DELETE FROM digits WHERE p = 1 AND c = ?", "00000001");
        execute("DELETE FROM digits WHERE p = 1 AND c = ?", "00000000");
        assertEquals(1, cql.rows("SELECT * FROM digits WHERE p = 1").size());
        execute("UPDATE digits_in_a_map SET m[?] = 1 WHERE p = 2", "00000000");
        execute("UPDATE digits_in_a_map SET m[?] = 1 WHERE p = 2", "00000002");
    }

    /** The parts of a tuple are not checked; stock tables fail where they compare such a bound. */
    @Test
    void bytesThatAreNoValueBoundNoRange()
    {
        cql.run("CREATE TABLE parts (p int, c timeuuid, d int, v int, PRIMARY KEY (p, c, d)) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO parts (p, c, d) VALUES (1, now(), 1)");
        for (String statement : new String[]{ "DELETE FROM", "SELECT * FROM" })
            for (String where : new String[]{ "(c, d) < ?", "(c, d) >= ?" })
            {
                String refusal = refusal(statement + " parts WHERE p = 1 AND " + where, "000000030102030000000400000001");
                assertTrue(refusal.contains("column c") && refusal.contains("0x010203") && refusal.contains("timeuuid"), refusal);
            }
        for (String statement : new String[]{ "SELECT * FROM parts", "UPDATE parts SET v = 1", "DELETE FROM parts" })
        {
            String refusal = refusal(statement + " WHERE p = 1 AND (c, d) = ?", "000000030102030000000400000001");
            assertTrue(refusal.contains("column c"), refusal);
        }
        assertEquals(1, cql.rows("SELECT * FROM parts WHERE p = 1").size());
    }

    /** Of these, the comparators read the first bytes and no others. Cassandra writes no float or double of another size. */
    @Test
    void ofTooManyBytesTheFirstOnesBoundARangeAsInAStockTable()
    {
        String[][] types = { { "tinyint", "000000020500", "0000000305ff01" }, { "float", "0000000840a0000000000000", "0000000540a00000ff" },
                             { "double", "00000009401400000000000000", "0000000a4014000000000000ffff" } };
        for (String[] type : types)
            for (String order : new String[]{ "ASC", "DESC" })
                for (int bound = 1; bound < type.length; bound++)
                    for (String where : new String[]{ "<", "<=", ">", ">=" })
                        assertEquals(afterDeletion(type[0], order, where, "0000000400000001" + type[bound], "skiplist"),
                                     afterDeletion(type[0], order, where, "0000000400000001" + type[bound], "cassiterite"),
                                     String.join(" ", type[0], order, where, type[bound]));
    }

    /** What a SELECT finds, and what is left when a DELETE with the same bound is done. */
    private List<String> afterDeletion(String type, String order, String where, String hex, String memtable)
    {
        String table = String.join("_", "long", type, order, memtable).toLowerCase();
        cql.run("CREATE TABLE IF NOT EXISTS " + table + " (p int, a int, b " + type + ", PRIMARY KEY (p, a, b)) WITH memtable = '"
                + memtable + "' AND CLUSTERING ORDER BY (a " + order + ", b " + order + ')');
        for (int b = 3; b < 8; b++)
            cql.run("INSERT INTO " + table + " (p, a, b) VALUES (1, 1, " + b + ')');
        List<String> texts = exact(select("SELECT * FROM " + table + " WHERE p = 1 AND (a, b) " + where + " ?", hex));
        texts.add(refusal("DELETE FROM " + table + " WHERE p = 1 AND (a, b) " + where + " ?", hex));
        texts.addAll(exact(cql.rows("SELECT * FROM " + table)));
        return texts;
    }

    private void insertDecimal(String hex)
    {
        execute("INSERT INTO digits (p, c, v) VALUES (1, ?, 1)", hex);
    }

    private String refusal(String statement, String hex)
    {
        try
        {
            execute(statement, hex);
            return "none";
        }
        catch (CoordinatorException e)
        {
            return e.getMessage();
        }
    }

    private void execute(String statement, String hex)
    {
        select(statement, hex);
    }

    private List<Row> select(String statement, String hex)
    {
        return rows(cql, statement, hex);
    }

    private static List<Row> rows(Cql cql, String statement, String hex)
    {
        BoundStatementBuilder bound = cql.session().prepare(statement).boundStatementBuilder();
        return cql.session().execute(bound.setBytesUnsafe(0, ByteUtils.fromHexString("0x" + hex)).build()).all();
    }

    /** Two tables of one shape: one of the engine, one with the skip list. */
    private final class Pair
    {
        private final String name;
        private final String[] values;
        private int stamp;

        private Pair(String type, String order, String... values)
        {
            this.name = (type + order).replaceAll("\\W", "_").toLowerCase();
            this.values = values;
            for (String side : new String[]{ "cassiterite", "skiplist" })
                cql.run("CREATE TABLE " + table(side) + " (p int, c " + type + ", v int, PRIMARY KEY (p, c)) WITH memtable = '" + side
                        + "' AND CLUSTERING ORDER BY (c " + order + ')');
        }

        private String table(String side)
        {
            return name + "_" + side;
        }

        private void run()
        {
            for (int i = 0; i < STEPS; i++)
            {
                both(statement(), values[random.nextInt(values.length)]);
                if (i % 20 == 0)
                    same();
            }
        }

        private String statement()
        {
            int kind = random.nextInt(random.nextInt(3) == 0 ? STATEMENTS.length : 3);
            return STATEMENTS[kind].replace("AT_", String.valueOf(++stamp));
        }

        private void same()
        {
            same(cql);
        }

        private void same(Cql at)
        {
            for (String value : values)
                for (String where : new String[]{ "=", ">", "<=", "<" })
                    both(at, "SELECT * FROM T WHERE p = 1 AND c " + where + " ?", value);
            List<String> stock = exact(at.rows("SELECT * FROM " + table("skiplist")));
            assertEquals(stock, exact(at.rows("SELECT * FROM " + table("cassiterite"))), name);
        }

        private void both(String statement, String hex)
        {
            both(cql, statement, hex);
        }

        private void both(Cql at, String statement, String hex)
        {
            List<String> stock = answer(at, statement, "skiplist", hex);
            assertEquals(stock, answer(at, statement, "cassiterite", hex), name + ": " + statement + " " + hex);
        }

        private List<String> answer(Cql at, String statement, String side, String hex)
        {
            try
            {
                return exact(rows(at, statement.replaceAll("\\bT\\b", table(side)), hex));
            }
            catch (CoordinatorException e)
            {
                return List.of(e.getClass().getSimpleName() + ": " + e.getMessage().replace(table(side), "T"));
            }
        }
    }

    private static List<String> exact(List<Row> rows)
    {
        List<String> texts = new ArrayList<>();
        rows.forEach(row -> texts.add(RowText.exact(row)));
        return texts;
    }
}
