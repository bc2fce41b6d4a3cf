/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Rows of sstables that come beside the engine have their entries when they are there. */
@NodeTest(own = true)
class IndexedImportTest
{
    private static final String KEYSPACE = "indexedimporttest";

    @Test
    void importedRowsAreFoundByIndex(Node node, Cql cql) throws IOException
    {
        for (String table : new String[]{ "source", "target" })
            cql.run("CREATE TABLE " + table + " (p int, c int, s int static, v int, e set<int>, PRIMARY KEY (p, c)) WITH memtable = '"
                    + (table.equals("source") ? "trie" : "cassiterite") + '\'');
        for (String column : new String[]{ "c", "s", "v", "e" })
        {
            cql.run("CREATE INDEX target_" + column + " ON target (" + column + ')');
            Indexes.awaitBuilt(cql, KEYSPACE, "target_" + column);
        }
        for (int i = 0; i < 200; i++)
            cql.run("INSERT INTO source (p, c, s, v, e) VALUES (?, ?, ?, ?, {1, 2})", i % 10, i, i % 5, i % 7);
        // newer than what comes, and gone by what comes
        cql.run("INSERT INTO target (p, c, v) VALUES (1, 1, 6)");
        cql.run("INSERT INTO target (p, c, v) VALUES (20, 1, 6)");
        cql.run("DELETE FROM source WHERE p = 20");
        node.flush(KEYSPACE, "source");
        node.nodetool("import", KEYSPACE, "target", copies(node).toString()).success();
        cql.run("INSERT INTO source (p, c, v) VALUES (1, 1, 6)");
        check(cql);
        node.restart();
        try (Cql after = node.cql(KEYSPACE))
        {
            check(after);
            after.run("DROP INDEX target_v");
            after.run("CREATE INDEX target_v ON target (v)");
            Indexes.awaitBuilt(after, KEYSPACE, "target_v");
            check(after);
        }
    }

    private static void check(Cql cql)
    {
        for (String where : List.of("v = 1", "v = 6", "v > 4", "s = 3", "c = 7", "e CONTAINS 2", "v = 6 AND s = 1", "p = 3 AND v = 3"))
            assertEquals(cql.texts("SELECT * FROM source WHERE " + where + " ALLOW FILTERING"),
                         cql.texts("SELECT * FROM target WHERE " + where), where);
    }

    private static Path copies(Node node) throws IOException
    {
        Path folder = Files.createDirectories(node.base().resolve("import"));
        Path keyspace = node.base().resolve("data").resolve(KEYSPACE);
        try (Stream<Path> folders = Files.list(keyspace))
        {
            Path source = folders.filter(table -> table.getFileName().toString().startsWith("source-")).findFirst().orElseThrow();
            try (Stream<Path> files = Files.list(source))
            {
                for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList()))
                    Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
        return folder;
    }
}
