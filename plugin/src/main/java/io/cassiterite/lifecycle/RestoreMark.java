/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.cassiterite.node.LabelFile;

/**
 * Says, in the folder of a table, that a store without rows of the table has begun to take in a snapshot from there. Where the
 * table has files, it has taken it in.
 */
final class RestoreMark
{
    static final String FILE_NAME = "cassiterite.restore";

    private static final String FORMAT = "cassiterite restore 1";
    private static final String STORE = "store_id";
    private static final String MANIFEST = "manifest";

    private RestoreMark()
    {
    }

    /** @param manifest the name of the snapshot's manifest, which no other snapshot has */
    static void write(Path tableDirectory, String storeId, String manifest) throws IOException
    {
        LabelFile.write(tableDirectory.resolve(FILE_NAME), FORMAT, Map.of(STORE, storeId, MANIFEST, manifest));
    }

    /** @param storeId null if there is no store */
    static boolean isOf(Path tableDirectory, String storeId, String manifest) throws IOException
    {
        Path path = tableDirectory.resolve(FILE_NAME);
        if (storeId == null || !Files.exists(path))
            return false;
        Map<String, String> values = LabelFile.read(path, FORMAT);
        return storeId.equals(values.get(STORE)) && manifest.equals(values.get(MANIFEST));
    }

    /** Durable when it returns: with the mark of an earlier restore the files of a later one would count as taken in. */
    static void remove(Path tableDirectory) throws IOException
    {
        LabelFile.remove(tableDirectory.resolve(FILE_NAME));
    }
}
