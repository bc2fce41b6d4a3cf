/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.cassiterite.node.StoreReport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RestorePlanTest
{
    private static final String COLUMNS = "kind\tkeyspace_name\ttable_name\ttable_id\tfolder\tsnapshot\tmanifest\tis_increment\t" +
                                          "generation\tfiles\tbytes\tis_engine\thas_rows\tkey\terror";

    /** Of manifests. */
    private String key = "";
    private final List<String> lines = new ArrayList<>(List.of(COLUMNS));

    @Test
    void aTableIsLoadedFromItsSnapshotAndThenFromItsIncrements()
    {
        table("orders", "1", true, false);
        manifest("orders", "1", "/b/shop/orders-1/backups/.cassiterite", "", true, 1);
        manifest("orders", "1", "/b/shop/orders-1/backups/.cassiterite", "", true, 1);
        manifest("orders", "1", "/b/shop/orders-1/snapshots/a/.cassiterite", "a", false, 1);
        TableRestore table = only(plan("/b"));
        assertNull(table.shortfall());
        assertEquals(List.of("/b/shop/orders-1/snapshots/a/.cassiterite", "/b/shop/orders-1/backups/.cassiterite"), table.paths);
        assertEquals(6, table.files);
        assertEquals(300, table.bytes);
        assertEquals(List.of(), table.notes);
        assertEquals(List.of("/b/shop/orders-1/snapshots/a/.cassiterite/m"), only(plan("a")).paths, "increments may be in the same folder");
        assertTrue(only(plan("a")).notes.get(0).startsWith("2 increments are left out"));
    }

    @Test
    void whatTheNodeMustHaveFirstIsTold()
    {
        table("stock", "2", false, false);
        table("anew", "3", true, false);
        table("renamed", "5", true, false);
        for (String name : List.of("gone 1", "stock 2", "anew 4", "moved 5"))
            manifest(name.split(" ")[0], name.split(" ")[1], "/b/" + name + "/.cassiterite", "", false, 1);
        RestorePlan plan = plan("/b");
        assertProblems(plan, "no such table. Create it WITH a memtable of the engine, from /b/gone 1/schema.cql",
                       "not one of the engine", "has another id, 3,",
                       "is shop.renamed");
        assertTrue(plan.possible().isEmpty());
        assertFalse(plan.isForeign, "an id is known");
        assertEquals("anew", plan("/b", "--by-name").possible().get(0).table);
    }

    @Test
    void aBackupOfAnotherClusterIsKnownByItsIds()
    {
        table("orders", "1", true, false);
        manifest("orders", "9", "/b/orders/.cassiterite", "", false, 1);
        assertTrue(plan("/b").isForeign);
        assertFalse(plan("/b", "--by-name").isForeign);
        assertNull(only(plan("/b", "--by-name")).problem);
    }

    @Test
    void aTableOfAnotherKeyIsNotLoadedByNameEither()
    {
        table("orders", "1", true, false);
        key = "the backup's key is (int), the table's is (text)";
        manifest("orders", "9", "/b/orders/.cassiterite", "", false, 1);
        assertProblems(plan("/b", "--by-name"), "another id and another key: the backup's key is (int), the table's is (text)");
        lines.remove(lines.size() - 1);
        key = "same";
        manifest("orders", "9", "/b/orders/.cassiterite", "", false, 1);
        assertProblems(plan("/b"), "Its key is the same: run this with --by-name");
        assertEquals(List.of("the table has another id, and the same key"), only(plan("/b", "--by-name")).notes);
    }

    @Test
    void severalSnapshotsAreAChoice()
    {
        table("orders", "1", true, false);
        manifest("orders", "1", "/b/shop/orders-1/snapshots/a/.cassiterite", "a", false, 1);
        manifest("orders", "1", "/b/shop/orders-1/snapshots/b/.cassiterite", "b", false, 1);
        assertProblems(plan("/b"), "Choose one: --snapshot a|b");
        assertNull(only(plan("/b", "--snapshot", "b")).problem);
    }

    @Test
    void severalGenerationsOfOneSnapshotBelongTogether()
    {
        table("orders", "1", true, true);
        manifest("orders", "1", "/b/shop/orders-1/snapshots/a/.cassiterite", "a", false, 1);
        manifest("orders", "1", "/b/shop/orders-1/snapshots/a/.cassiterite-2", "a", false, 2);
        TableRestore table = only(plan("/b"));
        assertNull(table.problem);
        assertEquals(2, table.paths.size());
        assertTrue(table.notes.get(0).startsWith("the table has rows"));
    }

    @Test
    void incrementsOfBeforeATruncateAreNotLoadedAfterTheSnapshot()
    {
        table("orders", "1", true, false);
        manifest("orders", "1", "/b/shop/orders-1/snapshots/a/.cassiterite", "a", false, 2);
        manifest("orders", "1", "/b/shop/orders-1/backups/.cassiterite", "", true, 1);
        assertProblems(plan("/b"), "a TRUNCATE, or the loss of a store");
        assertNull(only(plan("/b", "--no-increments")).problem);
    }

    @Test
    void aFailureIsOfItsTableAlone()
    {
        table("orders", "1", true, false);
        table("items", "2", true, false);
        table("empty", "3", true, false);
        line("failure", "orders", "1", "/b/orders/.cassiterite", "", "", "0", "", "", "", "", "", "", "spoilt");
        lines.add("failure\t\t\t\t/b/lost\t\t\t0\t\t\t\t\t\t\tunreadable");
        manifest("items", "2", "/b/items/.cassiterite", "", false, 1);
        RestorePlan plan = plan("/b");
        assertEquals(List.of("items"), List.of(plan.possible().get(0).table));
        assertEquals("/b/orders/.cassiterite: spoilt", plan.fallingShort().get(0).problem);
        assertEquals("an unknown table", plan.fallingShort().get(1).name());
        assertEquals(Set.of("shop.empty"), plan.without);
        assertProblems(plan("/b", "--keyspace", "shop", "--table", "gone"), "/b/lost: unreadable", "the backup has nothing of it");
    }

    @Test
    void sstablesAreCassandrasToLoad()
    {
        table("orders", "1", true, false);
        table("stock", "2", false, false);
        manifest("orders", "1", "/b/orders/.cassiterite", "", false, 1);
        sstables("orders", "1", "/b/orders");
        sstables("stock", "2", "/b/stock");
        RestorePlan plan = plan("/b");
        TableRestore orders = only(plan);
        assertNull(orders.problem);
        assertTrue(orders.shortfall().endsWith("nodetool import --copy-data shop orders /b/orders"), orders.shortfall());
        assertEquals(List.of(orders), plan.possible());
        assertEquals(List.of("stock tables: 1 with 3 sstables, which are Cassandra's to load:",
                             "    nodetool import --copy-data shop stock /b/stock"), plan.stock.describe());
    }

    @Test
    void ofADataFolderWithSnapshotsTheLiveSstablesAreNotOfTheBackup()
    {
        table("orders", "1", true, false);
        manifest("orders", "1", "/b/orders/snapshots/a/.cassiterite", "a", false, 1);
        sstables("orders", "1", "/b/orders");
        assertNull(only(plan("/b")).shortfall());
    }

    @Test
    void aTableThatHadNoEngineThenIsNotLoaded()
    {
        table("orders", "1", true, false);
        sstables("orders", "1", "/b/orders");
        assertProblems(plan("/b"), "the backup has sstables of it alone");
    }

    @Test
    void aBackupOfNothingIsEmpty()
    {
        table("orders", "1", true, false);
        assertTrue(plan("/b").isEmpty());
    }

    private static void assertProblems(RestorePlan plan, String... problems)
    {
        assertEquals(problems.length, plan.tables.size());
        for (int i = 0; i < problems.length; i++)
        {
            String problem = plan.tables.get(i).problem;
            assertTrue(problem != null && problem.contains(problems[i]), problem);
        }
    }

    private static TableRestore only(RestorePlan plan)
    {
        assertEquals(1, plan.tables.size());
        return plan.tables.get(0);
    }

    private RestorePlan plan(String... words)
    {
        return RestorePlan.of(StoreReport.parse(String.join("\n", lines)), RestoreOptionsTest.parse(words));
    }

    private void table(String name, String id, boolean isEngine, boolean hasRows)
    {
        line("table", name, id, "", "", "", "", "", "", "", isEngine ? "1" : "0", hasRows ? "1" : "0", "", "");
    }

    private void manifest(String name, String id, String folder, String snapshot, boolean isIncrement, int generation)
    {
        line("manifest", name, id, folder, snapshot, "m", isIncrement ? "1" : "0", Integer.toString(generation), "2", "100", "", "", key,
             "");
    }

    private void sstables(String name, String id, String folder)
    {
        line("sstables", name, id, folder, "", "", "0", "", "3", "", "", "", "", "");
    }

    private void line(String kind, String table, String... more)
    {
        lines.add(kind + "\tshop\t" + table + '\t' + String.join("\t", more));
    }
}
