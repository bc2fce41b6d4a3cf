/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.nio.file.Path;

import io.cassiterite.nodetest.Node;

/** A table and its snapshot. */
record SavedTable(Node node, String keyspace, String table)
{
    private static final String TAG = "saved";

    static SavedTable save(Node node, String keyspace, String table)
    {
        node.nodetool("snapshot", "-t", TAG, "-cf", table, keyspace).success();
        return new SavedTable(node, keyspace, table);
    }

    /** @return what the command says */
    String load()
    {
        Path tables = node.base().resolve("data").resolve(keyspace);
        String[] folders = tables.toFile().list((folder, name) -> name.startsWith(table + "-"));
        Path files = tables.resolve(folders[0]).resolve("snapshots").resolve(TAG).resolve("cassiterite");
        return node.snapshotLoad(keyspace, table, files).success();
    }
}
