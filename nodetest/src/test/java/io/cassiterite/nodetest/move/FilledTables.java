/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.model.TwinTables;

/**
 * Twins of all kinds of tables: one of each pair stays with a stock memtable, the other has a configuration of its own,
 * which nodes map to a stock memtable or to the engine. Random statements with the same effects, by a seed.
 */
final class FilledTables
{
    static final String KEYSPACE = "filled";

    private static final int PARTITIONS = 30;
    private static final int ROWS = 8;
    /** Pages end within partitions, and between them. */
    private static final int PAGE_ROWS = 7;
    private static final String[] NAMES = { "wide", "purged", "counted", "single", "changed" };

    private final Random random;
    private final List<TwinTables> twins = new ArrayList<>();
    private long microseconds = 1_700_000_000_000_000L;

    private FilledTables(long seed)
    {
        this.random = new Random(seed);
    }

    /** Creates them in the connection's keyspace. */
    static FilledTables create(Cql cql, String memtable, long seed)
    {
        return create(cql, memtable, seed, 0);
    }

    /** @param graceSeconds for which the second table keeps its deletions */
    static FilledTables create(Cql cql, String memtable, long seed, int graceSeconds)
    {
        FilledTables tables = new FilledTables(seed);
        String wide = "k int, c int, s text static, sm map<int, text> static, v text, l list<text>, m map<text, int>, t set<int>,"
                      + " PRIMARY KEY (k, c)";
        tables.add(cql, "wide", wide, "", memtable);
        tables.add(cql, "purged", wide, " AND gc_grace_seconds = " + graceSeconds + " AND CLUSTERING ORDER BY (c DESC)", memtable);
        tables.add(cql, "counted", "k int, c int, n counter, s counter static, PRIMARY KEY (k, c)", "", memtable);
        tables.add(cql, "single", "k int PRIMARY KEY, v text, w int", "", memtable);
        tables.add(cql, "changed", "k int, c int, u text, w int, PRIMARY KEY (k, c)", "", memtable);
        return tables;
    }

    /** The same tables by another connection, as a restart of the node needs. */
    static FilledTables again(FilledTables before, Cql cql)
    {
        FilledTables tables = new FilledTables(before.random.nextLong());
        tables.microseconds = before.microseconds;
        for (String name : NAMES)
            tables.twins.add(new TwinTables(cql, name));
        return tables;
    }

    private void add(Cql cql, String name, String columns, String options, String memtable)
    {
        twins.add(TwinTables.named(cql, name, columns, options, memtable));
    }

    /** The names of those that move. */
    static List<String> moving()
    {
        return Stream.of(NAMES).map(name -> name + "_engine").collect(Collectors.toList());
    }

    /** To be called before a kill: stock loses what it acknowledged in the last tenth of a second, and would differ. */
    static void keepOfStock(Node node)
    {
        node.flush(KEYSPACE, Stream.of(NAMES).map(name -> name + "_stock").toArray(String[]::new));
    }

    /** So many random statements. */
    void write(int statements)
    {
        for (int i = 0; i < statements; i++)
        {
            twins.get(0).run(wide(false));
            // a deletion that one of the twins has purged hides no row of the past there
            twins.get(1).run(wide(true));
            twins.get(2).run(counted());
            twins.get(3).run(single());
            twins.get(4).run("INSERT INTO T (k, c, u, w) VALUES (" + key() + ", " + random.nextInt(ROWS) + ", " + value() + ", " + i + ")"
                             + timestamp(false));
        }
    }

    /** Drops a column and adds another one of its name: the old values must not come back. */
    void changeColumns()
    {
        twins.get(4).run("ALTER TABLE T DROP u");
        twins.get(4).run("ALTER TABLE T ADD u text");
    }

    /** Reads all of them, and their write times. */
    void same()
    {
        for (TwinTables twin : twins)
            twin.sameAndNotEmpty(PAGE_ROWS);
        for (int wide = 0; wide < 2; wide++)
            twins.get(wide).run("SELECT k, c, v, s, writetime(v), writetime(s), ttl(v) FROM T");
        twins.get(4).run("SELECT k, c, u, w, writetime(u), writetime(w) FROM T");
        for (int k = 0; k < PARTITIONS; k++)
            twins.get(k % 2).run("SELECT * FROM T WHERE k = " + k + " AND c >= 2 ORDER BY c " + (k % 3 == 0 ? "ASC" : "DESC"));
    }

    /** @param isInOrder without write times of the past */
    private String wide(boolean isInOrder)
    {
        switch (random.nextInt(12))
        {
            case 0:
                return "UPDATE T" + timestamp(isInOrder) + " SET l = [" + value() + "], t = t + {" + random.nextInt(5) + "}" + row();
            case 1:
                return "UPDATE T" + timestamp(isInOrder) + " SET m['" + random.nextInt(4) + "'] = 1, v = " + value() + row();
            case 2:
                return "UPDATE T" + timestamp(isInOrder) + " SET s = " + value() + ", sm[" + random.nextInt(3) + "] = 'x'" +
                       " WHERE k = " + key();
            case 3:
                return "DELETE s FROM T" + timestamp(isInOrder) + " WHERE k = " + key();
            case 4:
                return "DELETE FROM T" + timestamp(isInOrder) + row();
            case 5:
                int from = random.nextInt(ROWS);
                return "DELETE FROM T" + timestamp(isInOrder) + " WHERE k = " + key() + " AND c >= " + from + " AND c < " + (from + 2);
            case 6:
                return random.nextInt(3) == 0 ? "DELETE FROM T" + timestamp(isInOrder) + " WHERE k = " + key()
                                              : "DELETE v, m['1'] FROM T" + timestamp(isInOrder) + row();
            default:
                return "INSERT INTO T (k, c, v, t) VALUES (" + key() + ", " + random.nextInt(ROWS) + ", " + value() + ", {1, 2})"
                       + timestamp(isInOrder) + (random.nextInt(4) == 0 ? " AND TTL 100000" : "");
        }
    }

    private String counted()
    {
        int by = random.nextInt(20) - 10;
        return random.nextInt(4) == 0 ? "UPDATE T SET s = s + " + by + " WHERE k = " + key() : "UPDATE T SET n = n + " + by + row();
    }

    private String single()
    {
        int key = key();
        switch (random.nextInt(4))
        {
            case 0:
                return "DELETE FROM T WHERE k = " + key;
            case 1:
                return "INSERT INTO T (k, v, w) VALUES (" + key + ", " + value() + ", 1) IF NOT EXISTS";
            case 2:
                return "UPDATE T SET v = " + value() + " WHERE k = " + key + " IF w = 1";
            default:
                return "INSERT INTO T (k, v, w) VALUES (" + key + ", " + value() + ", " + random.nextInt(3) + ")";
        }
    }

    private String row()
    {
        return " WHERE k = " + key() + " AND c = " + random.nextInt(ROWS);
    }

    private int key()
    {
        return random.nextInt(PARTITIONS);
    }

    private String value()
    {
        return "'" + Integer.toString(random.nextInt(1 << 20), 36) + "'";
    }

    /** Now and then one of the past, unless they are to be in order. */
    private String timestamp(boolean isInOrder)
    {
        microseconds += 1000;
        int back = random.nextInt(4) == 0 ? random.nextInt(100_000) : 0;
        return " USING TIMESTAMP " + (isInOrder ? microseconds : microseconds - back);
    }
}
