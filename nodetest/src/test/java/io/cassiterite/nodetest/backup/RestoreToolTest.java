/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** One restore for a node: all engine tables of a snapshot, or of a folder that a backup program has brought. */
class RestoreToolTest
{
    private static final String KEYSPACE = "restoretooltest";
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final String INDEXED = "SELECT k, c FROM orders WHERE v = 'value 3'";

    /** Columns of each engine table, and what compares all that it has. */
    private static final Map<String, String> TABLES = new LinkedHashMap<>();
    private static final Map<String, String> ROWS = new LinkedHashMap<>();

    static
    {
        TABLES.put("orders", "k int, c int, v text, s text static, m map<int, text>, l list<int>, PRIMARY KEY (k, c)");
        ROWS.put("orders", "SELECT k, c, v, s, m, l, writetime(v), ttl(v), writetime(s) FROM orders");
        TABLES.put("items", "k text PRIMARY KEY, v blob, w set<text>");
        ROWS.put("items", "SELECT k, v, w, writetime(v) FROM items");
        TABLES.put("counts", "k int PRIMARY KEY, n counter");
        ROWS.put("counts", "SELECT * FROM counts");
    }

    @Test
    void aWholeNodeComesBackFromItsSnapshot() throws IOException
    {
        try (Node node = named("restoretool").start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(KEYSPACE);
            cql.run("USE " + KEYSPACE);
            create(cql, Map.of());
            fill(cql);
            Map<String, List<String>> before = rows(cql);
            List<String> stock = cql.exact("SELECT k, v, writetime(v) FROM stock");
            node.nodetool("snapshot", "-t", "kept").success();
            cql.run("INSERT INTO orders (k, c, v) VALUES (1, 1, 'later')");
            for (String table : List.of("orders", "items", "stock"))
                cql.run("TRUNCATE " + table);

            String dry = node.restore("kept").success();
            assertTrue(dry.contains("would load 3 of 3 tables: ") && dry.contains("Nothing is loaded without --run"), dry);
            assertTrue(dry.contains(KEYSPACE + ".counts: 1 files, ") && dry.contains("the table has rows"), dry);
            assertEquals(List.of(), cql.rows("SELECT * FROM orders"), "it changes nothing");
            String narrowed = node.restore("kept", "--keyspace", KEYSPACE, "--table", "items").success();
            assertTrue(narrowed.contains("would load 1 of 1 tables") && !narrowed.contains(".orders"), narrowed);

            assertTrue(node.restore("kept", "--run").success().contains("loaded 3 of 3 tables, "));
            assertRestored(cql, before);
            node.restore("kept", "--run").success();
            assertRestored(cql, before);

            importStock(node, dry);
            assertEquals(stock, cql.exact("SELECT k, v, writetime(v) FROM stock"), "as the tool has told");
            assertBadInputIsRefused(node);
            createdAnewIsLoadedByNameAlone(node, cql, before);
        }
    }

    private static void importStock(Node node, String told)
    {
        List<String> commands = told.lines().map(String::trim).filter(line -> line.startsWith("nodetool ") && line.contains(KEYSPACE))
                                    .collect(Collectors.toList());
        assertEquals(1, commands.size(), told);
        String[] words = commands.get(0).split(" ");
        node.nodetool(Stream.of(words).skip(1).toArray(String[]::new)).success();
    }

    private static void assertBadInputIsRefused(Node node)
    {
        assertRefused(2, "name a snapshot of the node, or a folder", node.restore());
        assertRefused(2, "there is no option --load", node.restore("kept", "--load"));
        assertRefused(2, "data/x is a relative path", node.restore("data/x"));
        assertRefused(1, "the snapshot unheard of the node has no files of engine tables", node.restore("unheard", "--run"));
        assertRefused(1, "has no folder /unheard/of", node.restore("/unheard/of", "--run"));
        assertRefused(1, KEYSPACE + ".gone: cannot be loaded: the backup has nothing of it",
                      node.restore("kept", "--keyspace", KEYSPACE, "--table", "gone"));
    }

    private static void createdAnewIsLoadedByNameAlone(Node node, Cql cql, Map<String, List<String>> before)
    {
        cql.run("DROP TABLE items");
        assertRefused(1, KEYSPACE + ".items: cannot be loaded: the node has no such table", node.restore("kept"));
        cql.run("CREATE TABLE items (k int PRIMARY KEY, v blob, w set<text>) WITH memtable = 'cassiterite'");
        assertRefused(1, "another key: the backup's key is (text), the table's is (int)", node.restore("kept", "--by-name"));
        cql.run("DROP TABLE items");
        cql.run("CREATE TABLE items (" + TABLES.get("items") + ") WITH memtable = 'cassiterite'");
        cql.run("TRUNCATE orders");
        Output refused = node.restore("kept", "--run");
        assertRefused(1, "the node's table has another id", refused);
        assertTrue(refused.text().contains("loaded 2 of 3 tables") && refused.text().contains("Missing:\n  " + KEYSPACE + ".items: "),
                   refused::text);
        assertEquals(before.get("orders"), cql.exact(ROWS.get("orders")), "one that fails stops no other");
        assertEquals(List.of(), cql.rows("SELECT * FROM items"));
        assertTrue(node.restore("kept", "--run", "--by-name").success().contains("the table has another id, and the same key"));
        assertRestored(cql, before);
    }

    @Test
    void aFolderComesIntoAnotherNode() throws IOException
    {
        Map<String, List<String>> before;
        Map<String, String> ids;
        Path copy;
        try (Node source = named("restoretoolsource").start(); Cql cql = source.cql())
        {
            cql.freshKeyspace(KEYSPACE);
            cql.run("USE " + KEYSPACE);
            create(cql, Map.of());
            ids = cql.rows("SELECT table_name, id FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE + "'").stream()
                     .collect(Collectors.toMap(row -> row.getString("table_name"), row -> row.getUuid("id").toString()));
            fill(cql);
            before = rows(cql);
            source.nodetool("snapshot", "-t", "kept").success();
            cql.run("INSERT INTO orders (k, c, v) VALUES (1, 1, 'later')");
            cql.run("TRUNCATE orders");
            copy = source.base().resolve("copies/data").resolve(KEYSPACE);
            copy(source.base().resolve("data").resolve(KEYSPACE), copy);
        }
        try (Node node = named("restoretooltarget").start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(KEYSPACE);
            cql.run("USE " + KEYSPACE);
            String folder = copy.getParent().toString();
            assertRefused(1, "no Cassiterite engine running", node.restore(folder, "--run"));
            cql.run("CREATE TABLE other (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
            assertRefused(1, "the node knows no table of this backup by its id", node.restore(folder, "--snapshot", "kept", "--run"));
            create(cql, ids);

            Output several = node.restore(folder);
            assertRefused(1, "the folder has 2 snapshots of it, in ", several);
            assertTrue(several.text().contains("Choose one: --snapshot kept|truncated-"), several::text);
            aDamagedManifestStopsNoOtherTable(node, cql, copy, before);

            String told = node.restore(folder, "--snapshot", "kept", "--run").success();
            assertTrue(told.contains("the backup has nothing of " + KEYSPACE + ".other"), told);
            assertTrue(told.contains("stock tables: 1 with 1 sstables"), () -> "that of the snapshot: " + told);
            assertRestored(cql, before);
            plainCopiesAndManifestsAreFound(node, cql, copy, before);
            incrementsComeAlong(node, cql);
        }
    }

    private static void aDamagedManifestStopsNoOtherTable(Node node, Cql cql, Path copy, Map<String, List<String>> before)
    throws IOException
    {
        Path spoilt = copy.getParent().resolveSibling("spoilt").resolve(KEYSPACE);
        copy(copy, spoilt);
        Files.writeString(manifest(engineFolder(spoilt, "items")), "spoilt");
        String folder = spoilt.getParent().toString();
        Output dry = node.restore(folder, "--snapshot", "kept");
        assertRefused(1, KEYSPACE + ".items: cannot be loaded: ", dry);
        assertTrue(dry.text().contains("would load 2 of 3 tables"), dry::text);
        assertEquals(List.of(), cql.rows("SELECT * FROM orders"));
        Output run = node.restore(folder, "--snapshot", "kept", "--run");
        assertRefused(1, "Missing:\n  " + KEYSPACE + ".items: ", run);
        assertEquals(before.get("orders"), cql.exact(ROWS.get("orders")));
        assertEquals(List.of(), cql.rows("SELECT * FROM items"));

        // what the manifest says is right, and a file is not: only loading reads it
        Path damaged = copy.getParent().resolveSibling("damaged").resolve(KEYSPACE);
        copy(copy, damaged);
        Path file = files(engineFolder(damaged, "items")).stream().filter(path -> path.toString().endsWith(".sst")).findFirst()
                                                         .orElseThrow();
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 10] ^= 1;
        Files.write(file, bytes);
        String items = damaged.getParent().toString();
        node.restore(items, "--snapshot", "kept").success();
        assertRefused(1, "loaded 2 of 3 tables", node.restore(items, "--snapshot", "kept", "--run"));
        assertEquals(List.of(), cql.rows("SELECT * FROM items"));
    }

    private static void plainCopiesAndManifestsAreFound(Node node, Cql cql, Path copy, Map<String, List<String>> before)
    throws IOException
    {
        Path plain = copy.getParent().resolveSibling("plain");
        copy(engineFolder(copy, "orders"), plain.resolve(".cassiterite"));
        cql.run("TRUNCATE orders");
        assertTrue(node.restore(plain.toString(), "--run").success().contains("loaded 1 of 1 tables"), "the manifest names the table");
        assertRestored(cql, before);
        cql.run("TRUNCATE orders");
        node.restore(manifest(plain.resolve(".cassiterite")).toString(), "--run").success();
        assertRestored(cql, before);

        copy(engineFolder(copy, "items"), plain.resolve(".cassiterite"));
        assertRefused(1, "holds 2 snapshots", node.restore(plain.toString()));
        Path flattened = tableFolder(node.base().resolve("data").resolve(KEYSPACE), "items");
        copy(engineFolder(copy, "items"), flattened.resolve(".cassiterite"));
        assertRefused(1, "is in the data folder of a table", node.restore(flattened.toString()));
        Checkout.delete(flattened.resolve(".cassiterite"));
    }

    private static void incrementsComeAlong(Node node, Cql cql) throws IOException
    {
        Map<String, List<String>> ofSnapshot = rows(cql);
        node.nodetool("enablebackup").success();
        node.nodetool("snapshot", "-t", "base", KEYSPACE).success();
        cql.run("INSERT INTO orders (k, c, v) VALUES (7, 7, 'increment')");
        cql.run("DELETE FROM orders WHERE k = 1");
        node.flush(KEYSPACE);
        Map<String, List<String>> since = rows(cql);
        Path copy = node.base().resolve("copies").resolve(KEYSPACE);
        copy(node.base().resolve("data").resolve(KEYSPACE), copy);
        cql.run("TRUNCATE orders");

        String without = node.restore("base", "--run").success();
        assertTrue(without.contains(" increments are left out: --increments loads them"), without);
        assertEquals(ofSnapshot.get("orders"), cql.exact(ROWS.get("orders")));
        node.restore("base", "--run", "--increments").success();
        assertEquals(since.get("orders"), cql.exact(ROWS.get("orders")));
        cql.run("TRUNCATE orders");
        node.restore(copy.getParent().toString(), "--snapshot", "base", "--no-increments", "--run").success();
        assertEquals(ofSnapshot.get("orders"), cql.exact(ROWS.get("orders")));
        node.restore(copy.getParent().toString(), "--snapshot", "base", "--run").success();
        assertEquals(since.get("orders"), cql.exact(ROWS.get("orders")));
    }

    private static void create(Cql cql, Map<String, String> ids)
    {
        Map<String, String> tables = new LinkedHashMap<>(TABLES);
        tables.put("stock", "k int PRIMARY KEY, v text");
        tables.forEach((table, columns) -> cql.run("CREATE TABLE " + table + " (" + columns + ") WITH memtable = '" +
                                                   (table.equals("stock") ? "trie" : "cassiterite") + '\'' +
                                                   (ids.isEmpty() ? "" : " AND id = " + ids.get(table))));
        cql.run("CREATE INDEX orders_v ON orders (v)");
    }

    private static void fill(Cql cql)
    {
        for (int k = 1; k <= 4; k++)
            for (int c = 0; c < 10; c++)
                cql.run("INSERT INTO orders (k, c, v, s, m, l) VALUES (?, ?, ?, 'static', {1: 'one'}, [1, 2])", k, c, "value " + c);
        cql.run("INSERT INTO orders (k, c, v) VALUES (1, 1, 'stamped') USING TIMESTAMP 4000000000000000");
        cql.run("UPDATE orders SET m[2] = 'two', l = l + [3] WHERE k = 1 AND c = 2");
        cql.run("DELETE FROM orders WHERE k = 2 AND c = 5");
        cql.run("DELETE FROM orders WHERE k = 3 AND c > 7");
        cql.run("DELETE FROM orders WHERE k = 4");
        cql.run("INSERT INTO orders (k, c, v) VALUES (4, 0, 'after')");
        for (int k = 0; k < 200; k++)
        {
            cql.run("INSERT INTO items (k, v, w) VALUES (?, 0x0102, {'a', 'b'})", "key " + k);
            cql.run("INSERT INTO stock (k, v) VALUES (?, 'stock')", k);
        }
        for (int k = 0; k < 5; k++)
            cql.run("UPDATE counts SET n = n + ? WHERE k = ?", 10L + k, k);
    }

    private static Map<String, List<String>> rows(Cql cql)
    {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        ROWS.forEach((table, query) -> rows.put(table, cql.exact(query)));
        assertFalse(rows.containsValue(List.of()));
        return rows;
    }

    private static void assertRestored(Cql cql, Map<String, List<String>> before)
    {
        assertEquals(before, rows(cql));
        // until the index has all entries it answers nothing
        Await.until("the index answers", BOUND, () -> {
            try
            {
                return cql.texts(INDEXED).size() == 3;
            }
            catch (DriverException e)
            {
                return false;
            }
        });
    }

    private static void assertRefused(int exitCode, String why, Output output)
    {
        assertEquals(exitCode, output.exitCode(), output::text);
        assertTrue(output.text().contains(why), output::text);
    }

    private static Path engineFolder(Path keyspace, String table) throws IOException
    {
        return tableFolder(keyspace, table).resolve("snapshots/kept/.cassiterite");
    }

    private static Path tableFolder(Path keyspace, String table) throws IOException
    {
        return files(keyspace).stream().filter(path -> path.getFileName().toString().startsWith(table + '-')).findFirst().orElseThrow();
    }

    private static Path manifest(Path folder) throws IOException
    {
        return files(folder).stream().filter(path -> path.toString().endsWith(".manifest")).findFirst().orElseThrow();
    }

    private static List<Path> files(Path folder) throws IOException
    {
        try (Stream<Path> files = Files.list(folder))
        {
            return files.collect(Collectors.toList());
        }
    }

    private static void copy(Path from, Path to) throws IOException
    {
        Files.createDirectories(to);
        for (Path path : files(from))
        {
            Path target = to.resolve(path.getFileName());
            if (Files.isDirectory(path))
                copy(path, target);
            else
                Files.copy(path, target);
        }
    }

    private static NodeBuilder named(String name)
    {
        return Node.named(name).heap("512m");
    }
}
