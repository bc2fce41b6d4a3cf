/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SnapshotFolderTest
{
    @Test
    void sstablesBesideTheEngineAreTold(@TempDir Path snapshot) throws IOException
    {
        Path folder = Files.createDirectory(snapshot.resolve(".cassiterite"));
        Files.createFile(snapshot.resolve("manifest.json"));
        assertNull(SnapshotFolder.sstablesBeside(folder));
        for (String name : new String[]{ "nb-1-big-Data.db", "nb-1-big-Index.db", "oa-2-big-Data.db" })
            Files.createFile(snapshot.resolve(name));
        String told = SnapshotFolder.sstablesBeside(folder);
        assertTrue(told.contains("2 sstables") && told.contains(snapshot.toString()), told);
        assertEquals(told, SnapshotFolder.sstablesBeside(folder.resolve("x-cassiterite.manifest")));
        assertNull(SnapshotFolder.sstablesBeside(snapshot), "this is no folder of the engine");
        assertNull(SnapshotFolder.sstablesBeside(snapshot.resolve("gone").resolve("cassiterite")));
    }

    @Test
    void aRelativePathIsNotOneOfTheNode()
    {
        assertNull(SnapshotFolder.whyNotFound("/backup/orders/.cassiterite"));
        String told = SnapshotFolder.whyNotFound("orders/.cassiterite");
        assertTrue(told.startsWith("orders/.cassiterite is a relative path"), told);
    }
}
