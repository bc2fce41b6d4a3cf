/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * The file {@code cassiterite.store} in the store's directory: a random id made with the store. An unmounted disk or a
 * directory of another node has another id or none, however similar the path.
 */
public final class StoreIdentity
{
    private static final String FILE_NAME = "cassiterite.store";
    private static final String FORMAT = "cassiterite store 1";

    private StoreIdentity()
    {
    }

    /** @return the id of the store in this directory, or null if there is none */
    public static String read(Path storeDirectory) throws IOException
    {
        Path path = storeDirectory.resolve(FILE_NAME);
        if (!Files.exists(path))
            return null;
        String id = LabelFile.read(path, FORMAT).get("store_id");
        if (id == null)
            throw new IOException(path + " lacks store_id");
        return id;
    }

    /** @return the id of the store in this directory, which is made if there is none: the same for all who ask at once */
    public static synchronized String readOrCreate(Path storeDirectory) throws IOException
    {
        String id = read(storeDirectory);
        if (id != null)
            return id;
        id = UUID.randomUUID().toString();
        LabelFile.write(storeDirectory.resolve(FILE_NAME), FORMAT, Map.of("store_id", id));
        return id;
    }
}
