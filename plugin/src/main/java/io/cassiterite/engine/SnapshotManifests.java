/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/** The manifests in a folder of a snapshot or of increments. Thread-safe. */
public final class SnapshotManifests
{
    private SnapshotManifests()
    {
    }

    /**
     * Reads the manifests, and of the files that they list the sizes.
     *
     * @param at a folder, or one manifest
     * @return lines of tab-separated values, the first one the names: manifest, keyspace_name, table_name, table_id, is_increment,
     *         generation, files, bytes, error. A line without a manifest tells why they cannot be loaded together
     * @throws EngineException if there is no manifest
     */
    public static String report(String at)
    {
        NativeLibrary.load();
        return Native.manifestsReport(at);
    }
}
