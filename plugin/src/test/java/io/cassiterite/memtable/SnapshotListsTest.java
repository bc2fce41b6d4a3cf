/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.apache.cassandra.config.DurationSpec;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.snapshot.SnapshotManifest;
import org.apache.cassandra.utils.Clock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Programs that copy what manifest.json lists copy the engine's files, too. */
class SnapshotListsTest
{
    private static final TableId TABLE = TableId.generate();

    @TempDir
    private Path snapshot;

    @Test
    void theEnginesFilesAreAddedAndAllElseStays() throws IOException
    {
        Path list = snapshot.resolve("manifest.json");
        Instant created = Instant.parse("2026-01-02T03:04:05.678Z");
        new SnapshotManifest(List.of("nb-1-big-Data.db"), new DurationSpec.IntSecondsBound("1h"), created, false)
            .serializeToJsonFile(new File(list));
        for (String name : List.of(".cassiterite/QK-000012.sst", ".cassiterite/x-cassiterite.manifest", ".cassiterite-2/QK-000013.sst",
                                   ".by_v/nb-1-big-Data.db", "nb-1-big-Data.db", "schema.cql"))
        {
            Files.createDirectories(snapshot.resolve(name).getParent());
            Files.write(snapshot.resolve(name), new byte[1]);
        }
        SnapshotLists.add(snapshot, list);
        SnapshotManifest read = SnapshotManifest.deserializeFromJsonFile(new File(list));
        assertEquals(List.of("nb-1-big-Data.db", ".cassiterite-2/QK-000013.sst", ".cassiterite/QK-000012.sst",
                             ".cassiterite/x-cassiterite.manifest"), read.getFiles());
        assertEquals(created, read.getCreatedAt());
        assertEquals(created.plusSeconds(3600), read.getExpiresAt());
        byte[] before = Files.readAllBytes(list);
        SnapshotLists.add(snapshot, list);
        assertArrayEquals(before, Files.readAllBytes(list), "twice is once");
    }

    /** M3: whatever is wrong with one list, those behind it get the engine's files. */
    @Test
    void aBadListHoldsUpNoOther() throws IOException
    {
        long later = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        Files.writeString(expected("half", later), "{ \"files\" : [ \"nb");
        Files.writeString(expected("other", later), "[]");
        Files.createDirectories(expected("unreadable", later));
        Path good = expected("good", later);
        Files.writeString(good, "{ \"files\" : [] }");
        SnapshotLists.completeAll();
        assertTrue(Files.readString(good).contains(".cassiterite/QK-000012.sst"));
        assertFalse(SnapshotLists.isExpected("good"));
        assertTrue(SnapshotLists.isExpected("half") && SnapshotLists.isExpected("unreadable"), "they may be mended");
        for (String tag : List.of("half", "other", "unreadable"))
            new File(snapshot.resolve(tag)).deleteRecursive();
        SnapshotLists.completeAll();
        for (String tag : List.of("half", "other", "unreadable"))
            assertFalse(SnapshotLists.isExpected(tag), "S3: gone");
    }

    @Test
    void aBadListIsGivenUpInTheEnd() throws IOException
    {
        Files.writeString(expected("spoilt", System.nanoTime() - 1), "[]");
        Files.createDirectories(expected("folder", System.nanoTime() - 1));
        expected("none", System.nanoTime() - 1);
        SnapshotLists.completeAll();
        for (String tag : List.of("spoilt", "folder", "none"))
            assertFalse(SnapshotLists.isExpected(tag), tag);
    }

    /** M7: sstables that such a snapshot has not linked yet must stay. */
    @Test
    void aSnapshotIsUnderWayUntilItIsListed() throws IOException
    {
        long later = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        long before = Clock.Global.nanoTime();
        Path folder = snapshot.resolve("new");
        SnapshotLists.taking(TABLE, "new", folder, List.of(folder.resolve("manifest.json")), later, () -> {
            SnapshotLists.completeAll();
            assertTrue(SnapshotLists.isAnyUnderWay(TABLE, Clock.Global.nanoTime()), "the folder is not there yet");
        });
        Files.createDirectories(folder);
        SnapshotLists.completeAll();
        assertTrue(SnapshotLists.isAnyUnderWay(TABLE, Clock.Global.nanoTime()));
        assertFalse(SnapshotLists.isAnyUnderWay(TABLE, before), "it has begun later");
        assertFalse(SnapshotLists.isAnyUnderWay(TableId.generate(), Clock.Global.nanoTime()));
        Files.writeString(folder.resolve("manifest.json"), "{ \"files\" : [] }");
        SnapshotLists.completeAll();
        assertFalse(SnapshotLists.isAnyUnderWay(TABLE, Clock.Global.nanoTime()));
    }

    @Test
    void aSnapshotThatFailsIsNotUnderWay()
    {
        Path folder = snapshot.resolve("failing");
        assertThrows(IllegalStateException.class, () -> SnapshotLists.taking(TABLE, "failing", folder, List.of(), System.nanoTime(), () -> {
            throw new IllegalStateException();
        }));
        assertFalse(SnapshotLists.isExpected("failing"));
    }

    /** S3: what cannot take the list's place does not stay beside it. */
    @Test
    void noHalfListIsLeft() throws IOException
    {
        Path list = Files.createDirectories(snapshot.resolve("tag/manifest.json"));
        Files.writeString(list.resolve("x"), "so that nothing takes its place");
        assertThrows(IOException.class, () -> SnapshotLists.replace(list, new byte[1]));
        Path cleared = snapshot.resolve("tag/other.json");
        assertThrows(NoSuchFileException.class, () -> SnapshotLists.replace(cleared, new byte[1]));
        try (Stream<Path> files = Files.list(snapshot.resolve("tag")))
        {
            assertEquals(List.of(list), files.collect(Collectors.toList()));
        }
    }

    /** @return the list, which is not there yet */
    private Path expected(String tag, long untilNanos) throws IOException
    {
        Path folder = snapshot.resolve(tag);
        Files.createDirectories(folder.resolve(".cassiterite"));
        Files.write(folder.resolve(".cassiterite/QK-000012.sst"), new byte[1]);
        Path list = folder.resolve("manifest.json");
        SnapshotLists.taking(TABLE, tag, folder, List.of(list), untilNanos, () -> {});
        return list;
    }
}
