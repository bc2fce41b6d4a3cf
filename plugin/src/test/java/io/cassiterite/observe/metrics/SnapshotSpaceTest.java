/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;

class SnapshotSpaceTest
{
    @TempDir
    Path folder;

    private Path store;
    private Path snapshot;

    @BeforeEach
    void makeFolders() throws IOException
    {
        store = Files.createDirectories(folder.resolve("store/db"));
        snapshot = Files.createDirectories(folder.resolve("snapshots/tag/cassiterite")).getParent();
    }

    @Test
    void linksToFilesOfTheStoreTakeNothing() throws IOException
    {
        write(store.resolve("000001.sst"), 1000);
        Files.createLink(snapshot.resolve("cassiterite/000001.sst"), store.resolve("000001.sst"));
        write(snapshot.resolve("cassiterite/cassiterite.manifest"), 10);
        assertSpace(10, 1000);
        Files.delete(store.resolve("000001.sst"));
        assertSpace(1010, 0);
    }

    @Test
    void filesAreFoundByTheNumberThatTheyHaveInTheStore() throws IOException
    {
        write(store.resolve("000001.sst"), 1000);
        write(store.resolve("000020.sst"), 200);
        Path taken = Files.createDirectory(snapshot.resolve(".cassiterite"));
        Files.createLink(taken.resolve("QKIM5RQA0NMJ0AHYEYN8-000001.sst"), store.resolve("000001.sst"));
        Files.createLink(taken.resolve("PEER5RQA0NMJ0AHYEYN8-000007-000020.sst"), store.resolve("000020.sst"));
        write(taken.resolve("QKIM5RQA0NMJ0AHYEYN8-000003.sst"), 30);
        assertSpace(30, 1200);
    }

    @Test
    void copyIsNotALinkAndAnotherFileOfTheNameIsNotThisOne() throws IOException
    {
        write(store.resolve("000001.sst"), 1000);
        write(snapshot.resolve("cassiterite/000001.sst"), 1000);
        assertSpace(1000, 0);
    }

    @Test
    void everyGenerationCountsAndCassandrasOwnFilesDoNot() throws IOException
    {
        write(snapshot.resolve("cassiterite/000001.sst"), 100);
        Files.createDirectory(snapshot.resolve("cassiterite-2"));
        write(snapshot.resolve("cassiterite-2/000002.sst"), 20);
        write(snapshot.resolve("manifest.json"), 3);
        assertSpace(120, 0);
    }

    @Test
    void snapshotThatIsGoneTakesNothing() throws IOException
    {
        snapshot = folder.resolve("snapshots/cleared");
        assertSpace(0, 0);
    }

    private static void write(Path file, int bytes) throws IOException
    {
        Files.write(file, new byte[bytes]);
    }

    private void assertSpace(long own, long shared)
    {
        SnapshotSpace.Tally tally = new SnapshotSpace.Tally(store);
        tally.add(snapshot);
        assertEquals(own, tally.sum().ownBytes);
        assertEquals(shared, tally.sum().sharedBytes);
    }
}
