/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BackupFoldersTest
{
    private static final String HEX = "0123456789abcdef0123456789abcdef";
    private static final String ORDERS = "shop/orders-" + HEX;

    @TempDir
    Path root;

    @Test
    void aSnapshotAndIncrementsAreFoundAtAnyDepth() throws IOException
    {
        put("deep/down/data/" + ORDERS + "/snapshots/one/.cassiterite/x-cassiterite.manifest");
        put("deep/down/data/" + ORDERS + "/backups/.cassiterite/y-cassiterite.manifest");
        List<BackupFolders.Found> found = BackupFolders.in(root);
        assertEquals(2, found.size());
        BackupFolders.Found increments = found.get(0);
        BackupFolders.Found snapshot = found.get(1);
        assertTrue(increments.isOfIncrements && increments.snapshot.isEmpty() && increments.hasManifest);
        assertTrue(!snapshot.isOfIncrements && snapshot.snapshot.equals("one") && snapshot.hasManifest);
        assertEquals("shop", snapshot.table.keyspace);
        assertEquals("orders", snapshot.table.table);
        assertEquals("01234567-89ab-cdef-0123-456789abcdef", snapshot.table.id);
    }

    @Test
    void flattenedAndPlainFoldersAreFound() throws IOException
    {
        put(ORDERS + "/.cassiterite/x-cassiterite.manifest");
        put(ORDERS + "/.cassiterite-2/y-cassiterite.manifest");
        put("plain/x-cassiterite.manifest");
        List<BackupFolders.Found> found = BackupFolders.in(root);
        assertEquals(List.of("plain", ORDERS + "/.cassiterite", ORDERS + "/.cassiterite-2"), names(found));
        assertNull(found.get(0).table);
        assertEquals("", found.get(1).snapshot);
        assertEquals("orders", BackupFolders.in(root.resolve(ORDERS + "/.cassiterite")).get(0).table.table);
    }

    @Test
    void whatWasNotCopiedWholeIsTold() throws IOException
    {
        put(ORDERS + "/snapshots/one/.cassiterite/ABC-000001.sst");
        Files.createDirectories(root.resolve(ORDERS + "/snapshots/two/.cassiterite"));
        List<BackupFolders.Found> found = BackupFolders.in(root);
        assertEquals(2, found.size());
        found.forEach(folder -> assertTrue(folder.hasEngineFiles && !folder.hasManifest));
    }

    @Test
    void sstablesAreCountedAndThoseOfIndexesAreNot() throws IOException
    {
        for (String name : List.of("nb-1-big-Data.db", "nb-2-big-Data.db", "nb-2-big-Index.db", ".orders_v_idx/nb-1-big-Data.db"))
            put(ORDERS + "/snapshots/one/" + name);
        List<BackupFolders.Found> found = BackupFolders.in(root);
        assertEquals(List.of(ORDERS + "/snapshots/one"), names(found));
        assertEquals(2, found.get(0).sstables);
        assertFalse(found.get(0).hasEngineFiles);
    }

    @Test
    void aStoreIsNoBackup() throws IOException
    {
        put("cassiterite/db/CURRENT");
        put("cassiterite/db/000001.sst");
        put("cassiterite/backups/ab/000002.sst");
        put(ORDERS + "/.cassiterite/x-cassiterite.manifest");
        assertEquals(List.of(ORDERS + "/.cassiterite"), names(BackupFolders.in(root)));
    }

    @Test
    void aLoopOfLinksEnds() throws IOException
    {
        put(ORDERS + "/.cassiterite/x-cassiterite.manifest");
        Files.createSymbolicLink(root.resolve("shop/again"), root);
        assertEquals(List.of(ORDERS + "/.cassiterite"), names(BackupFolders.in(root)));
    }

    @Test
    void aSnapshotOfTheNodeIsFoundByItsName() throws IOException
    {
        put(ORDERS + "/snapshots/one/.cassiterite/x-cassiterite.manifest");
        put(ORDERS + "/snapshots/two/.cassiterite/x-cassiterite.manifest");
        put(ORDERS + "/backups/.cassiterite/x-cassiterite.manifest");
        put(ORDERS + "/nb-1-big-Data.db");
        List<BackupFolders.Found> found = BackupFolders.ofSnapshot(List.of(root), "one");
        assertEquals(List.of(ORDERS + "/snapshots/one/.cassiterite", ORDERS + "/backups/.cassiterite"), names(found));
    }

    private List<String> names(List<BackupFolders.Found> found)
    {
        return found.stream().map(folder -> root.relativize(folder.folder).toString()).collect(Collectors.toList());
    }

    private void put(String path) throws IOException
    {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.createFile(file);
    }
}
