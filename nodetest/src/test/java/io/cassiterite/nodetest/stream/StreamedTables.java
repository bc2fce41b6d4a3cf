/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Engine tables with everything that a stream could lose: counters, statics, range tombstones,
 * times to live, dropped columns, collections. Half of each is in files that go whole, half in the memtable.
 */
final class StreamedTables
{
    private static final int PARTITIONS = 60;
    private static final int CHANGE_STEP = 6;
    private static final Duration BOUND = Duration.ofSeconds(120);

    private static final Map<String, String> QUERIES = queries();

    private final String keyspace;

    private StreamedTables(String keyspace)
    {
        this.keyspace = keyspace;
    }

    private static Map<String, String> queries()
    {
        Map<String, String> queries = new LinkedHashMap<>();
        queries.put("plain", "SELECT p, c, s, v, l, m, ttl(v), writetime(v), writetime(s) FROM %s");
        queries.put("counted", "SELECT p, c, n, s FROM %s");
        queries.put("grown", "SELECT p, z, b, a, writetime(b) FROM %s");
        queries.put("changed", "SELECT p, c, w, x, writetime(w) FROM %s");
        return queries;
    }

    /** Makes and fills the tables in a new keyspace. */
    static StreamedTables create(Node node, Cql cql, String keyspace, int replicas)
    {
        StreamedTables tables = new StreamedTables(keyspace);
        cql.run("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}");
        tables.create(cql, "plain", "p int, c int, s text static, v text, l list<int>, m map<text, int>, PRIMARY KEY (p, c)");
        tables.create(cql, "counted", "p int, c int, n counter, s counter static, PRIMARY KEY (p, c)");
        tables.create(cql, "changed", "p int, c int, u int, v int, w int, PRIMARY KEY (p, c)");
        tables.create(cql, "grown", "p int PRIMARY KEY, z int");
        cql.run("ALTER TABLE " + tables.name("grown") + " ADD b text");
        cql.run("ALTER TABLE " + tables.name("grown") + " ADD a int");
        tables.fill(cql, 0);
        tables.set(cql, "changed", "u", 1);
        cql.run("ALTER TABLE " + tables.name("changed") + " DROP u");
        tables.change(cql, 0);
        node.log().await("Files of Cassiterite tables are cut at", BOUND);
        node.flush(keyspace);
        node.compact(keyspace);
        // the new column of the same name hides the values in the files
        cql.run("ALTER TABLE " + tables.name("changed") + " DROP v");
        cql.run("ALTER TABLE " + tables.name("changed") + " ADD x text");
        cql.run("ALTER TABLE " + tables.name("changed") + " ADD v int");
        tables.set(cql, "changed", "x", "new");
        tables.change(cql, CHANGE_STEP / 2);
        return tables;
    }

    private void create(Cql cql, String table, String columns)
    {
        cql.run("CREATE TABLE " + name(table) + " (" + columns + ") WITH memtable = 'cassiterite'");
    }

    private String name(String table)
    {
        return keyspace + '.' + table;
    }

    private void fill(Cql cql, int from)
    {
        String filler = "x".repeat(200);
        for (int p = from; p < from + PARTITIONS; p++)
        {
            cql.run("INSERT INTO " + name("plain") + " (p, s) VALUES (?, ?)", p, "static " + p);
            cql.run("UPDATE " + name("counted") + " SET s = s + 1 WHERE p = ?", p);
            cql.run("INSERT INTO " + name("grown") + " (p, z, b, a) VALUES (?, ?, ?, ?)", p, p, filler, -p);
            for (int c = 0; c < 6; c++)
            {
                cql.run("INSERT INTO " + name("plain") + " (p, c, v, l, m) VALUES (?, ?, ?, ?, ?)", p, c, filler + c, List.of(1, 2),
                        Map.of("a", 1));
                cql.run("UPDATE " + name("counted") + " SET n = n + ? WHERE p = ? AND c = ?", (long) c, p, c);
                cql.run("INSERT INTO " + name("changed") + " (p, c, v, w) VALUES (?, ?, ?, ?)", p, c, c, p);
            }
        }
    }

    private void set(Cql cql, String table, String column, Object value)
    {
        for (int p = 0; p < PARTITIONS; p += 3)
            cql.run("INSERT INTO " + name(table) + " (p, c, " + column + ") VALUES (?, 1, ?)", p, value);
    }

    /** Changes every other three partitions, and adds rows to them. */
    private void change(Cql cql, int first)
    {
        for (int p = first; p < PARTITIONS; p += CHANGE_STEP)
        {
            cql.run("DELETE FROM " + name("plain") + " WHERE p = ? AND c > 1 AND c < 4", p);
            cql.run("INSERT INTO " + name("plain") + " (p, c, v) VALUES (?, ?, ?) USING TTL 86400", p, 7, "mortal");
            cql.run("DELETE m['a'] FROM " + name("plain") + " WHERE p = ? AND c = 0", p);
            cql.run("UPDATE " + name("plain") + " SET l = l + [3] WHERE p = ? AND c = 1", p);
            cql.run("DELETE FROM " + name("plain") + " WHERE p = ?", p + 1);
            cql.run("INSERT INTO " + name("plain") + " (p, s) VALUES (?, ?)", p + 2, "newer");
            cql.run("UPDATE " + name("counted") + " SET n = n + 100 WHERE p = ? AND c = 1", p);
            cql.run("DELETE FROM " + name("counted") + " WHERE p = ? AND c = 5", p);
            cql.run("DELETE w FROM " + name("changed") + " WHERE p = ? AND c = 1", p);
            cql.run("UPDATE " + name("grown") + " SET b = 'changed' WHERE p = ?", p);
        }
    }

    /** More partitions, as a client would write them while or after nodes come and go. */
    void fillMore(Cql cql, int round)
    {
        fill(cql, round * PARTITIONS);
    }

    /** @return all that is in the tables, to the byte, as one node answers */
    List<String> contents(Cql cql)
    {
        List<String> contents = new ArrayList<>();
        QUERIES.forEach((table, query) -> {
            List<String> rows = new ArrayList<>(cql.exact(String.format(query, name(table))));
            Collections.sort(rows);
            assertFalse(rows.isEmpty(), table);
            rows.forEach(row -> contents.add(table + ": " + withoutTimeToLive(row)));
        });
        return contents;
    }

    /** Checks that the receiver got whole files of each table. */
    void assertWentWhole(Cql receiver)
    {
        Map<String, Long> wholeBytes = new HashMap<>();
        for (Row row : receiver.localRows("SELECT keyspace_name, table_name, direction_name, whole_bytes FROM cassiterite.streams"))
            if (keyspace.equals(row.getString("keyspace_name")) && "IN".equals(row.getString("direction_name")))
                wholeBytes.merge(row.getString("table_name"), row.getLong("whole_bytes"), Long::sum);
        for (String table : QUERIES.keySet())
            assertTrue(wholeBytes.getOrDefault(table, 0L) > 0, table + " of " + wholeBytes);
    }

    /** The remaining TTL depends on the time of the read; that there is one does not. */
    private static String withoutTimeToLive(String row)
    {
        return row.replaceAll("ttl\\(v\\)=[0-9a-f]+", "ttl(v)=some");
    }

    void assertContents(List<String> expected, Cql cql)
    {
        assertEquals(String.join("\n", expected), String.join("\n", contents(cql)), keyspace);
    }
}
