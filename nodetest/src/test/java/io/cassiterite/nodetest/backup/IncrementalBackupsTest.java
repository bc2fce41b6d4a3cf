/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A snapshot and the incremental backups since restore all that was flushed, as in stock Cassandra. */
class IncrementalBackupsTest
{
    private static final String KEYSPACE = "incrementalbackupstest";
    private static final String COLUMNS = " (k int, c int, v text, s text static, m map<text, int>, PRIMARY KEY (k, c))" +
                                          " WITH memtable = 'cassiterite'";
    private static final String ROWS = "SELECT k, c, v, s, m, writetime(v) FROM orders";
    private static final String INSERT = "INSERT INTO orders (k, c, v, s, m) VALUES (?, ?, ?, ?, {'a': 1})";

    @Test
    void aSnapshotAndTheIncrementsSinceRestoreAllThatWasFlushed() throws IOException
    {
        try (Node node = named().yaml("incremental_backups", "true").start())
        {
            Path copies = Files.createDirectories(node.base().resolve("copies"));
            List<String> before;
            Path table;
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace(KEYSPACE);
                cql.run("USE " + KEYSPACE);
                cql.run("CREATE TABLE orders" + COLUMNS);
                insert(cql, 0, 40);
                Path snapshot = Snapshots.take(node, KEYSPACE, "orders", "kept");
                table = snapshot.getParent().getParent().getParent();
                change(node, cql);
                before = cql.exact(ROWS);
                Path backups = table.resolve("backups/.cassiterite");
                assertTrue(names(backups, ".sst").size() >= 4, () -> "of the snapshot's flush and of three more: " + backups);
                copy(snapshot, copies);
                copy(backups, copies);
                cql.run("TRUNCATE orders");
                assertEquals(List.of(), cql.exact(ROWS));
                node.snapshotLoad(KEYSPACE, "orders", copies).success();
                assertEquals(before, cql.exact(ROWS));
            }
            node.stop();
            // a new node: only the folder of the table is there
            delete(node.base().resolve("cassiterite"));
            delete(table);
            Files.createDirectories(table);
            copy(copies, table.resolve(".cassiterite"));
        }
        try (Node restored = named().keep().yaml("incremental_backups", "true").start(); Cql cql = restored.cql(KEYSPACE))
        {
            assertEquals(40 + 20 + 20 - 10 - 1, cql.exact(ROWS).size());
            assertEquals(Set.of("v='changed'"), Set.copyOf(cql.texts("SELECT v FROM orders WHERE k = 1")));
            assertTrue(restored.nodetool("listsnapshots").success().contains("restored-"));
            restored.killNine();
        }
        try (Node again = named().keep().yaml("incremental_backups", "true").start(); Cql cql = again.cql(KEYSPACE))
        {
            assertEquals(69, cql.exact(ROWS).size());
        }
    }

    /** Overwrites, deletions, compactions, and rows that only the log has when the node is killed. */
    private static void change(Node node, Cql cql)
    {
        for (int c = 0; c < 10; c++)
            cql.run("UPDATE orders SET v = 'changed' WHERE k = 1 AND c = ?", c);
        cql.run("DELETE FROM orders WHERE k = 2");
        node.flush(KEYSPACE, "orders");
        node.compact(KEYSPACE, "orders");
        insert(cql, 40, 60);
        cql.run("DELETE FROM orders WHERE k = 3 AND c = 1");
        cql.run("UPDATE orders SET m = m + {'b': 2} WHERE k = 3 AND c = 2");
        node.flush(KEYSPACE, "orders");
        node.compact(KEYSPACE, "orders");
        insert(cql, 60, 80);
        node.flush(KEYSPACE, "orders");
        node.compact(KEYSPACE, "orders");
    }

    private static void insert(Cql cql, int from, int to)
    {
        for (int i = from; i < to; i++)
            cql.run(INSERT, i / 10, i % 10, "value " + i, "static");
    }

    @Test
    void theyAreSwitchedLiveAndTableByTable() throws IOException
    {
        Node node = named().start();
        try (node; Cql cql = node.cql())
        {
            cql.freshKeyspace(KEYSPACE);
            cql.run("USE " + KEYSPACE);
            cql.run("CREATE TABLE orders" + COLUMNS);
            cql.run("CREATE TABLE left_out" + COLUMNS + " AND incremental_backups = false");
            cql.run("CREATE TABLE stock (k int PRIMARY KEY)");
            write(node, cql, 1);
            assertEquals(Set.of(), backups(node, "orders"));

            node.nodetool("enablebackup").success();
            write(node, cql, 2);
            Set<String> first = backups(node, "orders");
            assertEquals(2, first.size(), "a file and its manifest");
            assertEquals(Set.of(), backups(node, "left_out"));
            assertFalse(backups(node, "stock").isEmpty());

            node.nodetool("disablebackup").success();
            write(node, cql, 3);
            assertEquals(first, backups(node, "orders"));

            node.nodetool("enablebackup").success();
            cql.run("ALTER TABLE left_out WITH incremental_backups = true");
            write(node, cql, 4);
            assertEquals(4, backups(node, "orders").size());
            assertEquals(2, backups(node, "left_out").size());
            node.nodetool("clearsnapshot", "--all").success();
            assertEquals(4, backups(node, "orders").size(), "snapshots are others");

            // what the log has when the node is killed is flushed by the next start
            cql.run(INSERT, 9, 9, "in the log", "static");
            node.killNine();
        }
        String option = "-Dcassiterite.without_incremental_backups=true";
        try (Node left = named().keep().yaml("incremental_backups", "true").jvm(option).start(); Cql cql = left.cql(KEYSPACE))
        {
            write(left, cql, 5);
            assertEquals(4, backups(left, "orders").size(), "engine tables are left out");
            left.stop();
        }
        try (Node on = named().keep().yaml("incremental_backups", "true").start(); Cql cql = on.cql(KEYSPACE))
        {
            cql.run(INSERT, 8, 8, "in the log", "static");
            on.killNine();
        }
        try (Node again = named().keep().yaml("incremental_backups", "true").start(); Cql cql = again.cql(KEYSPACE))
        {
            again.flush(KEYSPACE);
            assertEquals(6, backups(again, "orders").size());
            assertEquals(7, cql.texts("SELECT v FROM orders").size());
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldAndLosesNothing() throws IOException
    {
        Node node = named().yaml("incremental_backups", "true").start();
        try (node; Cql cql = node.cql())
        {
            cql.freshKeyspace(KEYSPACE);
            cql.run("USE " + KEYSPACE);
            cql.run("CREATE TABLE orders" + COLUMNS);
            Path backups = table(node, "orders").resolve("backups");
            delete(backups);
            Files.writeString(backups, "no folder");
            cql.run(INSERT, 1, 1, "kept", "static");
            Output flushed = node.nodetool("flush", KEYSPACE);
            assertNotEquals(0, flushed.exitCode());
            assertTrue(flushed.text().contains("not all is in the incremental backups"), flushed::text);
            assertEquals(1, cql.texts("SELECT v FROM orders").size());
            Files.delete(backups);
            node.flush(KEYSPACE);
            assertEquals(2, backups(node, "orders").size());
        }
    }

    private static void write(Node node, Cql cql, int number)
    {
        for (String table : List.of("orders", "left_out"))
            cql.run("INSERT INTO " + table + " (k, c, v) VALUES (?, 1, 'v')", number);
        cql.run("INSERT INTO stock (k) VALUES (?)", number);
        node.flush(KEYSPACE);
    }

    private static Path table(Node node, String name) throws IOException
    {
        try (Stream<Path> tables = Files.list(node.base().resolve("data").resolve(KEYSPACE)))
        {
            return tables.filter(path -> path.getFileName().toString().startsWith(name + '-')).findAny().orElseThrow();
        }
    }

    private static Set<String> backups(Node node, String name) throws IOException
    {
        Path backups = table(node, name).resolve("backups");
        return name.equals("stock") ? names(backups, "") : names(backups.resolve(".cassiterite"), "");
    }

    private static Set<String> names(Path folder, String end) throws IOException
    {
        if (!Files.isDirectory(folder))
            return Set.of();
        try (Stream<Path> files = Files.list(folder))
        {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(end)).collect(Collectors.toSet());
        }
    }

    private static void copy(Path from, Path to) throws IOException
    {
        Files.createDirectories(to);
        for (String name : names(from, ""))
            if (!Files.exists(to.resolve(name)))
                Files.copy(from.resolve(name), to.resolve(name));
    }

    private static void delete(Path folder) throws IOException
    {
        if (!Files.exists(folder))
            return;
        try (Stream<Path> paths = Files.walk(folder))
        {
            for (Path path : paths.sorted((one, other) -> other.compareTo(one)).collect(Collectors.toList()))
                Files.delete(path);
        }
    }

    private static NodeBuilder named()
    {
        return Node.named("incrementalbackups").heap("512m");
    }
}
