/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.apache.cassandra.config.DurationSpec;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.service.snapshot.SnapshotManifest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Programs that copy what manifest.json lists copy the engine's files, too. */
class SnapshotListsTest
{
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
}
