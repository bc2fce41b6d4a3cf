/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

/** Tables of every kind in the keyspace of a {@link Pair}, and random writes to them. */
final class Everything
{
    static final List<String> TABLES = List.of("wide", "purged", "counted", "changed");

    private static final int PARTITIONS = 24;
    private static final int ROWS = 8;

    private final Random random;

    Everything(long seed)
    {
        random = new Random(seed);
    }

    /** Without read repair, so that reads change nothing. */
    static void create(Cql cql)
    {
        String columns = "(k int, c int, s text static, sm map<int, text> static, v text, w int, l list<text>, m map<text, int>,"
                         + " t set<int>, PRIMARY KEY (k, c))";
        create(cql, "wide", columns, "");
        create(cql, "purged", columns, " AND gc_grace_seconds = 1 AND CLUSTERING ORDER BY (c DESC)");
        create(cql, "counted", "(k int, c int, s counter static, n counter, PRIMARY KEY (k, c))", "");
        create(cql, "changed", "(k int PRIMARY KEY, a text, b text, d text)", "");
    }

    private static void create(Cql cql, String table, String columns, String options)
    {
        cql.run("CREATE TABLE " + Pair.KEYSPACE + "." + table + columns + " WITH memtable = 'cassiterite' AND read_repair = 'NONE'"
                + " AND speculative_retry = 'NEVER'" + options);
    }

    /** Drops columns, and adds one of them again: its old values must not come back. */
    static void change(Cql cql)
    {
        cql.run("ALTER TABLE " + Pair.KEYSPACE + ".changed DROP a");
        cql.run("ALTER TABLE " + Pair.KEYSPACE + ".changed ADD a text");
        cql.run("ALTER TABLE " + Pair.KEYSPACE + ".wide DROP w");
    }

    /** @param consistency ALL to write the same to both nodes, ONE while one of them is down */
    void write(Cql cql, int writes, ConsistencyLevel consistency)
    {
        for (int i = 0; i < writes; i++)
        {
            run(cql, consistency, wide("wide"));
            run(cql, consistency, wide("purged"));
            run(cql, consistency, counted());
            run(cql, consistency, "UPDATE changed SET a = 'a" + i + "', b = 'b" + i + "' WHERE k = " + random.nextInt(PARTITIONS));
        }
    }

    /** Creates the tables, writes the same to both nodes, and then to each what the other one lacks. */
    static void diverge(Pair pair, int writes)
    {
        try (Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            create(cql);
            pair.awaitBoth();
            new Everything(1).write(cql, writes, ConsistencyLevel.ALL);
            pair.assertInSync();
        }
        writeWithout(pair, pair.second, 2, writes);
        writeWithout(pair, pair.first, 3, writes);
    }

    /** While one of the nodes is down, which lacks it then. */
    private static void writeWithout(Pair pair, Node down, long seed, int writes)
    {
        pair.without(down, () -> {
            try (Cql cql = pair.other(down).cql(Pair.KEYSPACE))
            {
                new Everything(seed).write(cql, writes, ConsistencyLevel.ONE);
            }
        });
    }

    private static void run(Cql cql, ConsistencyLevel consistency, String statement)
    {
        cql.session().execute(SimpleStatement.newInstance(statement).setConsistencyLevel(consistency));
    }

    private String counted()
    {
        int by = random.nextInt(20) - 10;
        return random.nextInt(4) == 0 ? "UPDATE counted SET s = s + " + by + " WHERE k = " + key()
                                      : "UPDATE counted SET n = n + " + by + row();
    }

    private String wide(String table)
    {
        String value = "'" + Integer.toString(random.nextInt(1 << 20), 36) + "'";
        String ttl = random.nextInt(3) == 0 ? " USING TTL " + (random.nextBoolean() ? 1 : 100_000) : "";
        switch (random.nextInt(14))
        {
            case 0:
                return "UPDATE " + table + ttl + " SET l = l + [" + value + "], t = t + {" + random.nextInt(5) + "}" + row();
            case 1:
                return "UPDATE " + table + ttl + " SET m['" + random.nextInt(4) + "'] = 1, v = " + value + row();
            case 2:
                return "UPDATE " + table + " SET l = [" + value + "], m = {'1': 2}" + row();
            case 3:
                return "UPDATE " + table + ttl + " SET s = " + value + ", sm[" + random.nextInt(3) + "] = " + value + " WHERE k = " + key();
            case 4:
                return "DELETE s FROM " + table + " WHERE k = " + key();
            case 5:
                return "DELETE FROM " + table + row();
            case 6:
                int from = random.nextInt(ROWS);
                return "DELETE FROM " + table + " WHERE k = " + key() + " AND c >= " + from + " AND c < " + (from + 1 + random.nextInt(4));
            case 7:
                return "DELETE FROM " + table + " WHERE k = " + key() + " AND c > " + random.nextInt(ROWS);
            case 8:
                return random.nextInt(3) == 0 ? "DELETE FROM " + table + " WHERE k = " + key()
                                              : "DELETE v, m['1'] FROM " + table + row();
            case 9:
                return "DELETE t FROM " + table + row();
            default:
                return "INSERT INTO " + table + " (k, c, v, t) VALUES (" + key() + ", " + random.nextInt(ROWS) + ", " + value
                       + ", {1, 2})" + ttl;
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

    /**
     * All rows as the node of the connection answers, with the times of some cells. The table whose tombstones may be
     * purged at once is left out: a read and a repair treat a tombstone differently that only one replica has. All
     * columns are read: of columns that a query does not name Cassandra drops cells older than the row's liveness, even an
     * expired one.
     */
    static String answers(Cql cql, ConsistencyLevel consistency)
    {
        StringBuilder text = new StringBuilder();
        for (String table : List.of("wide", "counted", "changed"))
            text.append(table).append(lines(cql, consistency, "SELECT JSON * FROM " + table));
        text.append(lines(cql, consistency, "SELECT JSON k, c, s, sm, v, w, l, m, t, writetime(s), writetime(v) FROM wide"));
        return text.toString();
    }

    private static String lines(Cql cql, ConsistencyLevel consistency, String select)
    {
        List<String> lines = new ArrayList<>();
        Statement<?> statement = SimpleStatement.newInstance(select).setConsistencyLevel(consistency).setNode(cql.own());
        for (Row row : cql.session().execute(statement))
            lines.add(row.getString(0));
        lines.sort(null);
        return "\n" + String.join("\n", lines) + "\n";
    }
}
