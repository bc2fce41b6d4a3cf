/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.node.UnreadFiles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The start takes in one whole snapshot of a table, from where a backup program puts it, and nothing else. */
class RestoredFilesTest
{
    private static final String ID = "5bc52802-de25-35ed-aeab-188eecebb090";
    private static final String TABLE = "shop/orders-5bc52802de2535edaeab188eecebb090";
    private static final String MANIFEST = "0123456789abcdef0123456789abcdef-cassiterite.manifest";

    @TempDir
    private Path base;

    private final StartFacts facts = new StartFacts();

    @BeforeEach
    void aTable()
    {
        facts.memtableClasses.put("default", "TrieMemtable");
        facts.memtableClasses.put("cassiterite", "io.cassiterite.memtable.CassiteriteMemtable");
        facts.tables.add(new StartFacts.SchemaTable("shop.orders", ID, "cassiterite"));
    }

    @Test
    void aSnapshotOfATableIsTakenIn() throws IOException
    {
        place(TABLE + "/.cassiterite/" + MANIFEST, TABLE + "/.cassiterite/QK-000012.sst", TABLE + "/nb-1-big-Data.db");
        RestoredFiles files = RestoredFiles.of(facts);
        assertEquals(base.resolve(TABLE), files.wanted.get(ID).folder);
        assertTrue(files.refused.isEmpty());
    }

    /** Several snapshots are refused by the engine, which reads the manifests. */
    @Test
    void incrementsBesideASnapshotAreTakenIn() throws IOException
    {
        place(TABLE + "/.cassiterite/" + MANIFEST, TABLE + "/.cassiterite/f" + MANIFEST.substring(1));
        assertEquals(2, RestoredFiles.of(facts).wanted.get(ID).places.get(0).manifests.size());
    }

    @Test
    void everythingElseIsRefused() throws IOException
    {
        assertRefused("several folders", TABLE + "/.cassiterite/" + MANIFEST, TABLE + "/000012.sst");
        assertRefused("several folders", TABLE + "/.cassiterite/" + MANIFEST, TABLE + "/cassiterite-2/000012.sst");
        assertRefused("not in a folder .cassiterite", TABLE + '/' + MANIFEST);
        assertRefused("not in a folder .cassiterite", TABLE + "/cassiterite/" + MANIFEST);
        assertRefused("no manifest", TABLE + "/.cassiterite/QK-000012.sst");
        assertRefused("older version", TABLE + "/.cassiterite/cassiterite.manifest");
        assertRefused("the schema has the id " + ID, TABLE.replace("5bc5", "5bc6") + "/.cassiterite/" + MANIFEST);
    }

    @Test
    void tablesOfOthersAreRefused() throws IOException
    {
        String[] files = { TABLE + "/.cassiterite/" + MANIFEST };
        facts.memtableClasses.put("cassiterite", "TrieMemtable");
        assertRefused("not Cassiterite's", files);
        facts.tables.clear();
        place(files);
        assertNull(RestoredFiles.of(facts).refused.values().iterator().next(), "the refusal says that the schema has no such table");
        base = Files.createTempDirectory(base, "other");
        facts.unreadFiles.clear();
        place("copies/orders/.cassiterite/" + MANIFEST);
        assertEquals(1, RestoredFiles.of(facts).refused.size());
    }

    @Test
    void twoDataDirectoriesWithSnapshotsAreRefused() throws IOException
    {
        place(TABLE + "/.cassiterite/" + MANIFEST);
        base = Files.createTempDirectory(base, "other");
        place(TABLE + "/.cassiterite/" + MANIFEST);
        RestoredFiles files = RestoredFiles.of(facts);
        assertTrue(files.wanted.isEmpty() && files.refused.size() == 2);
        assertTrue(files.refused.values().iterator().next().contains("several data directories"));
    }

    private void assertRefused(String why, String... files) throws IOException
    {
        base = Files.createTempDirectory(base, "data");
        facts.unreadFiles.clear();
        place(files);
        RestoredFiles restored = RestoredFiles.of(facts);
        assertTrue(restored.wanted.isEmpty(), why);
        assertTrue(restored.refused.values().iterator().next().contains(why), restored.refused::toString);
    }

    private void place(String... files) throws IOException
    {
        for (String file : files)
        {
            Files.createDirectories(base.resolve(file).getParent());
            Files.write(base.resolve(file), new byte[1]);
        }
        facts.unreadFiles.addAll(UnreadFiles.findAll(base, null));
    }
}
