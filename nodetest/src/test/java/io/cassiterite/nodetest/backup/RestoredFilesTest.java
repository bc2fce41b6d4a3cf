/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Command;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Backup programs put the engine's files where nothing reads them: no start goes on without the rows in them. */
class RestoredFilesTest
{
    private static final String KEYSPACE = "restoredfilestest";
    private static final Duration BOUND = Duration.ofMinutes(1);

    @Test
    void aStartIsRefusedWithTheCommandsThatLoadTheFiles() throws IOException
    {
        Node node = named().start();
        try
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace(KEYSPACE);
                for (String table : List.of("folded", "flat"))
                {
                    cql.run("CREATE TABLE " + KEYSPACE + "." + table + " (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
                    for (int k = 0; k < 10; k++)
                        cql.run("INSERT INTO " + KEYSPACE + "." + table + " (k, v) VALUES (?, 'backed up')", k);
                }
            }
            Path folded = Snapshots.take(node, KEYSPACE, "folded", "kept");
            Path flat = Snapshots.take(node, KEYSPACE, "flat", "kept");
            assertListed(folded);
            Output relative = node.snapshotLoad(KEYSPACE, "flat", Path.of("data/x"));
            assertTrue(relative.exitCode() != 0 && relative.text().contains("data/x is a relative path"), relative::text);

            // as Medusa restores a node that has nothing else: the folder of the table, the store is new
            node.stop();
            Path foldedTable = table(folded);
            Path flatTable = table(flat);
            Path backup = Files.createDirectories(node.base().resolve("backup"));
            Files.move(folded, backup.resolve("folded"));
            Files.move(flat, backup.resolve("flat"));
            for (Path folder : List.of(foldedTable, flatTable, node.base().resolve("cassiterite")))
                delete(folder);
            Files.createDirectories(foldedTable);
            Files.move(backup.resolve("folded"), foldedTable.resolve("cassiterite"));
            Files.move(backup.resolve("flat"), flatTable);

            String refusal = refusal();
            List<String> commands = refusal.lines().filter(line -> line.startsWith("    ")).distinct().collect(Collectors.toList());
            assertEquals(6, commands.size(), refusal);
            for (String command : commands)
                if (!command.contains(" io.cassiterite.tools.SnapshotLoad "))
                    Command.run(List.of("sh", "-c", command), BOUND).success();
            try (Node again = named().keep().start(); Cql cql = again.cql(KEYSPACE))
            {
                assertEquals(List.of(), cql.texts("SELECT * FROM flat"), "the files are not where anything reads them");
                assertUnreadFolderIsRefused(again, flatTable);
                load(again, commands);
                for (String table : List.of("folded", "flat"))
                    assertEquals(10, cql.texts("SELECT * FROM " + table + " WHERE v = 'backed up' ALLOW FILTERING").size(), table);
                again.restart();
                assertTrue(again.nodetool("listsnapshots").success().contains("restored-"), "as a snapshot of the node");
                again.nodetool("clearsnapshot", "--all").success();
                assertFalse(again.nodetool("listsnapshots").success().contains("restored-"), "and is cleared like one");
            }
        }
        finally
        {
            node.close();
        }
    }

    private static void assertListed(Path folder) throws IOException
    {
        String list = Files.readString(folder.resolveSibling("manifest.json"));
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder))
        {
            files.forEach(file -> names.add(".cassiterite/" + file.getFileName()));
        }
        assertTrue(names.size() >= 2 && names.stream().allMatch(name -> list.contains('"' + name + '"')), list);
    }

    private static void assertUnreadFolderIsRefused(Node node, Path table)
    {
        Output refused = node.snapshotLoad(KEYSPACE, "flat", table);
        assertNotEquals(0, refused.exitCode());
        assertTrue(refused.text().contains("is in the data folder of a table"), refused::text);
    }

    private static String refusal()
    {
        try (Node refused = named().keep().build())
        {
            String output = refused.startRefused();
            assertTrue(output.contains("this node must not start") && output.contains("which nothing reads there"), output);
            return output;
        }
    }

    /** The node has another port now. */
    private static void load(Node node, List<String> commands)
    {
        Pattern command = Pattern.compile(" +java -cp '(.+)' " +
                                          "io[.]cassiterite[.]tools[.]SnapshotLoad 127[.]0[.]0[.]1 [0-9]+ (\\w+) (\\w+) '(.+)'");
        List<Matcher> loads = commands.stream().map(command::matcher).filter(Matcher::matches).collect(Collectors.toList());
        assertEquals(2, loads.size(), commands::toString);
        for (Matcher load : loads)
        {
            assertTrue(Files.exists(Path.of(load.group(1))), load.group(1));
            node.snapshotLoad(load.group(2), load.group(3), Path.of(load.group(4))).success();
        }
    }

    private static Path table(Path engineFolder)
    {
        return engineFolder.getParent().getParent().getParent();
    }

    private static void delete(Path folder) throws IOException
    {
        List<Path> paths;
        try (Stream<Path> walked = Files.walk(folder))
        {
            paths = walked.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path path : paths)
            Files.delete(path);
        assertFalse(Files.exists(folder));
    }

    private static NodeBuilder named()
    {
        return Node.named("restoredfiles").heap("512m");
    }
}
