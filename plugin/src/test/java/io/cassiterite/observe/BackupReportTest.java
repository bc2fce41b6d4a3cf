/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.node.StoreReport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BackupReportTest
{
    private static final String ORDERS = "shop/orders-0123456789abcdef0123456789abcdef";

    @TempDir
    Path root;

    @Test
    void aManifestThatCannotBeReadIsOfTheTableOfItsFolder() throws IOException
    {
        Path folder = Files.createDirectories(root.resolve(ORDERS + "/snapshots/one/.cassiterite"));
        Files.writeString(folder.resolve("cassiterite.manifest"), "spoilt");
        Files.createFile(folder.resolveSibling("nb-1-big-Data.db"));
        List<Map<String, String>> lines = lines(null);
        assertEquals(2, lines.size(), lines::toString);
        for (Map<String, String> line : lines)
        {
            assertEquals("orders", line.get("table_name"));
            assertEquals("one", line.get("snapshot"));
        }
        assertEquals("sstables", lines.get(0).get("kind"));
        assertEquals("failure", lines.get(1).get("kind"));
        assertTrue(lines.get(1).get("error").contains("cassiterite.manifest"), lines::toString);
    }

    @Test
    void whatTheNodeDoesNotLoadIsAFailureAndLiveSstablesAreNone() throws IOException
    {
        Path folder = Files.createDirectories(root.resolve(ORDERS));
        Files.createFile(folder.resolve("x-cassiterite.manifest"));
        Files.createFile(folder.resolve("nb-1-big-Data.db"));
        List<Map<String, String>> lines = lines("it is the node's");
        assertEquals(1, lines.size(), lines::toString);
        assertEquals("it is the node's", lines.get(0).get("error"));
    }

    @Test
    void aFolderThatIsNotThereIsRefused()
    {
        assertThrows(IllegalArgumentException.class, () -> report(null).addFolder(root.resolve("gone")));
    }

    @Test
    void aTableHasItsLine()
    {
        BackupReport report = report(null);
        report.addTable("shop", "orders", "the id", true, false);
        Map<String, String> line = StoreReport.parse(report.text()).rows.get(0);
        assertEquals(List.of("table", "shop", "orders", "the id", "1", "0"),
                     List.of(line.get("kind"), line.get("keyspace_name"), line.get("table_name"), line.get("table_id"),
                             line.get("is_engine"), line.get("has_rows")));
    }

    private static BackupReport report(String obstacle)
    {
        return new BackupReport(folder -> obstacle, (folder, manifest) -> "");
    }

    private List<Map<String, String>> lines(String obstacle)
    {
        BackupReport report = report(obstacle);
        report.addFolder(root);
        return StoreReport.parse(report.text()).rows;
    }
}
