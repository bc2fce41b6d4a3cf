/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.nio.file.Path;
import java.util.Map;

import org.apache.cassandra.config.DatabaseDescriptor;

import io.cassiterite.engine.Store;

/** Where the node's store is, by the parameters of its memtable configuration. */
public final class StoreDirectory
{
    private static final String DEFAULT_NAME = "cassiterite";

    private StoreDirectory()
    {
    }

    /**
     * @param parameters of the memtable configuration ({@link Parameters}), may be null
     * @return the absolute path of the store: the parameter {@code directory}, else {@code cassiterite} beside the first
     *         data directory
     */
    public static Path of(Map<String, String> parameters)
    {
        String configured = parameters == null ? null : parameters.get(Store.DIRECTORY);
        if (configured != null)
            return Path.of(configured).normalize();
        // not inside the data directory, where Cassandra takes folders for keyspaces
        Path data = Path.of(DatabaseDescriptor.getAllDataFileLocations()[0]).toAbsolutePath().normalize();
        return data.resolveSibling(DEFAULT_NAME);
    }
}
