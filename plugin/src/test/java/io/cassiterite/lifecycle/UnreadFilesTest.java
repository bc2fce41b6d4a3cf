/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.node.UnreadFiles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever leaves files of the engine in the folder of a table, no start overlooks them. */
class UnreadFilesTest
{
    private static final String TABLE = "shop/orders-5bc52802de2535edaeab188eecebb090";

    @TempDir
    private Path base;

    private Path table;

    @Test
    void everyWayToLeaveFilesInAFolderIsSeen() throws IOException
    {
        for (String file : List.of("cassiterite.manifest", "000033.sst", "QKIM5RQA0NMJ0AHYEYN8-000012.sst",
                                   "0123456789abcdef0123456789abcdef-cassiterite.manifest", ".cassiterite/x-cassiterite.manifest",
                                   "cassiterite/000012.sst", "cassiterite-2/000012.sst", "copied/.cassiterite/QK-000012.sst"))
        {
            base = Files.createTempDirectory(base, "data");
            place(TABLE + '/' + file);
            List<UnreadFiles> found = found(null);
            assertEquals(1, found.size(), file);
            assertEquals("shop orders", found.get(0).keyspace() + ' ' + found.get(0).table(), file);
        }
    }

    @Test
    void nothingElseIsTakenForSuchAFile() throws IOException
    {
        for (String file : List.of("nb-1-big-Data.db", "nb-1-big-TOC.txt", "cassiterite.marker", ".cassiterite/nb-1-big-Data.db",
                                   "snapshots/tag/.cassiterite/QK-000012.sst", "snapshots/tag/cassiterite/cassiterite.manifest",
                                   "backups/.cassiterite/QK-000012.sst", ".by_v/nb-1-big-Data.db"))
            place(TABLE + '/' + file);
        assertEquals(List.of(), found(null).stream().map(files -> files.folder).collect(Collectors.toList()));
    }

    @Test
    void theStoreItselfMayBeInADataDirectory() throws IOException
    {
        place("cassiterite/db/000012.sst");
        assertEquals(List.of(), found(base.resolve("data/cassiterite")));
        assertEquals(1, found(null).size());
        Path linked = Files.createSymbolicLink(base.resolve("link"), base.resolve("data"));
        assertEquals(List.of(), UnreadFiles.findAll(linked, base.resolve("data/cassiterite")), "by a link to the data directory");
        assertEquals(List.of(), found(linked.resolve("cassiterite")), "by a link to the store");
        assertEquals(1, found(base.resolve("nowhere")).size(), "a store that is not there yet");
        place("cassiterite/db/CURRENT");
        assertEquals(List.of(), found(null), "also where no configuration tells that it is there");
    }

    @Test
    void theRefusalHasTheCommandsThatMoveAndLoadThem() throws IOException
    {
        place(TABLE + "/.cassiterite/x-cassiterite.manifest");
        place(TABLE + "/.cassiterite/QK-000012.sst");
        place(TABLE + "/000033.sst");
        place(TABLE + "/cassiterite.manifest");
        String refusal = refusal("shop.orders");
        String restored = table + "/snapshots/restored-17/.cassiterite";
        String of = "' -maxdepth 1 -type f \\( -name '*.sst' -o -name '*cassiterite.manifest' \\) -exec mv -n -t '";
        assertEquals(List.of("mkdir -p '" + restored + '\'',
                             "find '" + table + of + restored + "' {} +",
                             "mkdir -p '" + restored + "-2'",
                             "find '" + table + "/.cassiterite" + of + restored + "-2' {} +",
                             "java -cp 'x.jar' L 127.0.0.1 7199 shop orders '" + restored + '\'',
                             "java -cp 'x.jar' L 127.0.0.1 7199 shop orders '" + restored + "-2'"),
                     commands(refusal), refusal);
        assertTrue(refusal.contains(" of table shop.orders has files") && refusal.contains("put -u USER -pwf FILE"), refusal);
    }

    /** M2: a load of the folder would be refused. */
    @Test
    void eachOfSeveralManifestsIsLoadedByItself() throws IOException
    {
        place(TABLE + "/.cassiterite/b-cassiterite.manifest");
        place(TABLE + "/.cassiterite/a-cassiterite.manifest");
        String restored = table + "/snapshots/restored-17/.cassiterite/";
        String refusal = refusal("shop.orders");
        assertEquals(List.of("java -cp 'x.jar' L 127.0.0.1 7199 shop orders '" + restored + "a-cassiterite.manifest'",
                             "java -cp 'x.jar' L 127.0.0.1 7199 shop orders '" + restored + "b-cassiterite.manifest'"),
                     commands(refusal).subList(2, 4), refusal);
    }

    /** M2: after these commands nothing is left that keeps the node from its start, and the folder may be loaded. */
    @Test
    void theCommandsLeaveNothingThatIsUnread() throws IOException, InterruptedException
    {
        for (String file : List.of("/copied/1.sst", "/copied/.cassiterite/1.sst", "/cassiterite.manifest", "/copied/other", "/it's/2.sst"))
            place(TABLE + file);
        for (String command : commands(refusal("shop.orders")))
            if (!command.startsWith("java"))
                assertEquals(0, new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor(), command);
        assertEquals(List.of(), found(null));
        Path snapshot = table.resolve("snapshots/restored-17");
        try (Stream<Path> files = Files.walk(snapshot))
        {
            assertEquals(4, files.filter(Files::isRegularFile).count());
        }
        assertTrue(Files.exists(table.resolve("copied/other")));
        assertFalse(UnreadFiles.isUnread(snapshot.resolve(".cassiterite"), base.resolve("data")));
    }

    @Test
    void aFolderOfNoTableOfTheSchemaIsCalledThat() throws IOException
    {
        place(TABLE + "/x-cassiterite.manifest");
        String dropped = refusal("shop.others");
        assertTrue(dropped.contains("(of no table of the schema: this node's has no shop.orders)") &&
                   dropped.contains("has started and has the table"), dropped);
        base = Files.createTempDirectory(base, "data");
        place("backup/shop/x-cassiterite.manifest");
        String stray = refusal("backup.shop");
        assertTrue(stray.contains("(which is no folder of a table)") && stray.contains(" 7199 KEYSPACE TABLE '"), stray);
    }

    @Test
    void theReasonIsGivenAndCommandsForTheFirstFiveTablesOnly() throws IOException
    {
        Map<UnreadFiles, String> refused = new LinkedHashMap<>();
        for (int number = 1; number <= 7; number++)
            place("shop/t" + number + "-5bc52802de2535edaeab188eecebb09" + number + "/.cassiterite/x-cassiterite.manifest");
        found(null).stream().sorted(Comparator.comparing(files -> files.folder)).forEach(files -> refused.put(files, "it rains"));
        StartFacts facts = new StartFacts();
        List<String> refusals = UnreadFilesRefusal.of(refused, facts);
        assertEquals(6, refusals.size());
        assertTrue(refusals.get(4).contains("backed up. The start does not take them in: it rains. Before"), refusals.get(4));
        assertTrue(refusals.get(5).matches("the folders of 2 more tables .* .*/t6-\\S+ .*/t7-\\S+"), refusals.get(5));
    }

    @Test
    void filesWithoutAManifestCanOnlyBeMoved() throws IOException
    {
        place(TABLE + "/000033.sst");
        String refusal = refusal("shop.orders");
        assertTrue(refusal.contains("They have no manifest") && !refusal.contains("    java"), refusal);
    }

    @Test
    void whatIsLoadedMustNotBeWhereTheNextStartRefusesIt()
    {
        Path data = Path.of("/var/data");
        for (String unread : List.of(TABLE, TABLE + "/.cassiterite", TABLE + "/x/y"))
            assertTrue(UnreadFiles.isUnread(data.resolve(unread), data), unread);
        for (String fine : List.of("", "shop", TABLE + "/snapshots/tag/.cassiterite", TABLE + "/backups", "../elsewhere/a/b/c"))
            assertFalse(UnreadFiles.isUnread(data.resolve(fine).normalize(), data), fine);
    }

    private String refusal(String inSchema) throws IOException
    {
        StartFacts facts = new StartFacts();
        facts.inspectedMillis = 17;
        facts.loadCommand = "java -cp 'x.jar' L 127.0.0.1 7199";
        facts.tables.add(new StartFacts.SchemaTable(inSchema, "5bc52802-de25-35ed-aeab-188eecebb090", "cassiterite"));
        return UnreadFilesRefusal.of(found(null).get(0), facts, null);
    }

    private static List<String> commands(String refusal)
    {
        return refusal.lines().filter(line -> line.startsWith("    ")).map(String::trim).collect(Collectors.toList());
    }

    private List<UnreadFiles> found(Path store) throws IOException
    {
        return UnreadFiles.findAll(base.resolve("data"), store);
    }

    private void place(String file) throws IOException
    {
        Path path = base.resolve("data").resolve(file);
        table = base.resolve("data").resolve(TABLE);
        Files.createDirectories(path.getParent());
        Files.write(path, new byte[1]);
    }
}
