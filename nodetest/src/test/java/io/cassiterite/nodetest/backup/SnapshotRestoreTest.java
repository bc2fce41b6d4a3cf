/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Backing up and restoring as in the operating guide, with write times and deletions. */
@NodeTest(own = true)
class SnapshotRestoreTest
{
    private static final String KEYSPACE = "snapshotrestoretest";
    private static final String ROWS = "SELECT k, c, v, s, m, writetime(v), ttl(v) FROM %s";

    private final Node node;
    private Cql cql;

    SnapshotRestoreTest(Node node)
    {
        this.node = node;
    }

    /** The keyspace exists; each test has a connection of its own, because one of them restarts the node. */
    @BeforeEach
    void connect(Cql keyspace)
    {
        cql = node.cql(KEYSPACE);
    }

    @AfterEach
    void disconnect()
    {
        cql.close();
    }

    @Test
    void rowsComeBackAfterTruncateDropAndRestart() throws IOException
    {
        create("rows");
        fill("rows");
        List<String> before = cql.exact(String.format(ROWS, "rows"));
        assertEquals(30, before.size());
        Path taken = snapshot("rows", "kept");
        cql.run("INSERT INTO rows (k, c, v) VALUES (1, 1, 'later')");
        cql.run("TRUNCATE rows");
        assertTrue(node.snapshotLoad(KEYSPACE, "rows", taken).success().startsWith("loaded "));
        assertEquals(before, cql.exact(String.format(ROWS, "rows")));
        node.snapshotLoad(KEYSPACE, "rows", taken).success();
        assertEquals(before, cql.exact(String.format(ROWS, "rows")), "loading twice is loading once");

        cql.run("DROP TABLE rows");
        create("rows");
        assertEquals(List.of(), cql.exact(String.format(ROWS, "rows")));
        node.snapshotLoad(KEYSPACE, "rows", Snapshots.found(node, KEYSPACE, "rows", "dropped-")).success();
        assertEquals(before, cql.exact(String.format(ROWS, "rows")), "the snapshot that DROP took, into a table of another id");
        node.restart();
        try (Cql again = node.cql(KEYSPACE))
        {
            assertEquals(before, again.exact(String.format(ROWS, "rows")));
        }
    }

    @Test
    void whatWasDeletedSinceStaysDeleted() throws IOException
    {
        create("merged");
        fill("merged");
        Path taken = snapshot("merged", "kept");
        cql.run("DELETE FROM merged WHERE k = 1");
        cql.run("INSERT INTO merged (k, c, v) VALUES (2, 1, 'newer')");
        List<String> after = cql.exact(String.format(ROWS, "merged"));
        node.snapshotLoad(KEYSPACE, "merged", taken).success();
        assertEquals(after, cql.exact(String.format(ROWS, "merged")));
    }

    @Test
    void valuesOfAColumnThatWasDroppedSinceStayDropped() throws IOException
    {
        create("dropped");
        fill("dropped");
        Path taken = snapshot("dropped", "kept");
        cql.run("ALTER TABLE dropped DROP m");
        cql.run("ALTER TABLE dropped ADD m map<int, text>");
        cql.run("TRUNCATE dropped");
        node.snapshotLoad(KEYSPACE, "dropped", taken).success();
        assertEquals(30, cql.rows("SELECT k FROM dropped").size());
        assertTrue(cql.rows("SELECT m FROM dropped").stream().allMatch(row -> row.isNull("m")));
    }

    @Test
    void countersAreNotCountedTwice() throws IOException
    {
        cql.run("CREATE TABLE counts (k int PRIMARY KEY, n counter) WITH memtable = 'cassiterite'");
        for (int k = 0; k < 5; k++)
            cql.run("UPDATE counts SET n = n + ? WHERE k = ?", 10L + k, k);
        List<String> before = cql.exact("SELECT * FROM counts");
        Path taken = snapshot("counts", "kept");
        node.snapshotLoad(KEYSPACE, "counts", taken).success();
        assertEquals(before, cql.exact("SELECT * FROM counts"));
        cql.run("TRUNCATE counts");
        node.snapshotLoad(KEYSPACE, "counts", taken).success();
        assertEquals(before, cql.exact("SELECT * FROM counts"));
        cql.run("UPDATE counts SET n = n + 1 WHERE k = 0");
        assertEquals(11L, cql.rows("SELECT n FROM counts WHERE k = 0").get(0).getLong("n"));
    }

    @Test
    void aDamagedSnapshotIsRefusedAndLoadsNothing(@TempDir Path copies) throws IOException
    {
        create("damaged");
        fill("damaged");
        Path taken = snapshot("damaged", "kept");
        cql.run("TRUNCATE damaged");
        for (Path file : files(taken))
        {
            byte[] bytes = Files.readAllBytes(file);
            if (file.toString().endsWith(".sst"))
                bytes[bytes.length / 10] ^= 1;
            Files.write(copies.resolve(file.getFileName()), bytes);
        }
        Output refused = node.snapshotLoad(KEYSPACE, "damaged", copies);
        assertNotEquals(0, refused.exitCode());
        assertTrue(refused.text().startsWith("not loaded: "), refused::text);
        assertEquals(List.of(), cql.rows("SELECT * FROM damaged"));
    }

    /** Rows under another key would make the table unreadable. */
    @Test
    void aSnapshotOfAnotherKeyIsRefused(@TempDir Path copies) throws IOException
    {
        create("keyed");
        fill("keyed");
        for (Path file : files(snapshot("keyed", "kept")))
            Files.copy(file, copies.resolve(file.getFileName()));
        cql.run("CREATE TABLE other (k text, c int, v text, PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
        Output refused = node.snapshotLoad(KEYSPACE, "other", copies);
        assertNotEquals(0, refused.exitCode());
        assertTrue(refused.text().contains("whose key is (int), int; the table's key is (text), int,"), refused::text);
        assertEquals(List.of(), cql.rows("SELECT * FROM other"));
    }

    @Test
    void sstablesBesideTheEngineAreNotForgotten() throws IOException
    {
        create("beside");
        create("source", "trie");
        fill("source");
        cql.run("INSERT INTO beside (k, c, v) VALUES (9, 9, 'in the engine')");
        node.nodetool("flush", KEYSPACE, "source").success();
        node.direct(KEYSPACE, "beside", "hold");
        node.nodetool("import", KEYSPACE, "beside", sstables("source").toString()).success();
        assertEquals(31, cql.rows("SELECT * FROM beside").size());
        Path taken = snapshot("beside", "both");
        cql.run("TRUNCATE beside");
        String told = node.snapshotLoad(KEYSPACE, "beside", taken).success();
        assertEquals(1, cql.rows("SELECT * FROM beside").size());
        assertTrue(told.contains("not all is loaded: ") && told.contains("give " + taken.getParent() + " to sstableloader"), told);
    }

    private Path sstables(String table) throws IOException
    {
        Path folder = Files.createDirectories(node.base().resolve("sstables").resolve(table));
        try (Stream<Path> tables = Files.list(node.base().resolve("data").resolve(KEYSPACE)))
        {
            for (Path file : files(tables.filter(path -> path.getFileName().toString().startsWith(table + '-')).findFirst().orElseThrow()))
                if (Files.isRegularFile(file))
                    Files.copy(file, folder.resolve(file.getFileName()));
        }
        return folder;
    }

    @Test
    void clearedSnapshotsAreGone() throws IOException
    {
        create("cleared");
        fill("cleared");
        Path taken = snapshot("cleared", "away");
        assertTrue(node.nodetool("listsnapshots").success().lines().anyMatch(line -> line.matches("away +" + KEYSPACE + " +cleared .*")));
        node.nodetool("clearsnapshot", "-t", "away", KEYSPACE).success();
        assertFalse(Files.exists(taken));
        assertFalse(node.nodetool("listsnapshots").success().contains("away"));
    }

    private void create(String table)
    {
        create(table, "cassiterite");
    }

    private void create(String table, String memtable)
    {
        cql.run("CREATE TABLE " + table + " (k int, c int, v text, s text static, m map<int, text>, PRIMARY KEY (k, c)) " +
                "WITH memtable = '" + memtable + "'");
    }

    private void fill(String table)
    {
        for (int k = 1; k <= 4; k++)
            for (int c = 0; c < 10; c++)
                cql.run("INSERT INTO " + table + " (k, c, v, s, m) VALUES (?, ?, 'value', 'static', {1: 'one'})", k, c);
        cql.run("INSERT INTO " + table + " (k, c, v) VALUES (1, 1, 'stamped') USING TIMESTAMP 4000000000000000");
        cql.run("UPDATE " + table + " SET m[2] = 'two' WHERE k = 1 AND c = 2");
        cql.run("DELETE FROM " + table + " WHERE k = 2 AND c = 5");
        cql.run("DELETE FROM " + table + " WHERE k = 3 AND c > 7");
        cql.run("DELETE FROM " + table + " WHERE k = 4");
        cql.run("INSERT INTO " + table + " (k, c, v) VALUES (4, 0, 'after')");
        cql.run("DELETE v FROM " + table + " WHERE k = 2 AND c = 6");
        cql.run("INSERT INTO " + table + " (k, c) VALUES (4, 1)");
        cql.run("INSERT INTO " + table + " (k, c) VALUES (4, 2)");
    }

    private Path snapshot(String table, String tag)
    {
        return Snapshots.take(node, KEYSPACE, table, tag);
    }

    private static List<Path> files(Path folder) throws IOException
    {
        try (Stream<Path> files = Files.list(folder))
        {
            return files.collect(Collectors.toList());
        }
    }
}
