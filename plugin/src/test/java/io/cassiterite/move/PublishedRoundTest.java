/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.apache.cassandra.schema.TableId;

import io.cassiterite.node.LabelFile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** M15: which sstables a round has made is believed for the generation that it was of, and as it was written. */
class PublishedRoundTest
{
    private static final TableId TABLE = TableId.fromString("5bc52802-de25-35ed-aeab-188eecebb090");
    private static final Set<String> SSTABLES = Set.of("nb-2-big:2048:5:9", "nb-1-big:1024:3:7");
    private static final PublishedRound.Content CONTENT = new PublishedRound.Content(Set.of(7L, 12L), SSTABLES);

    @TempDir
    Path store;

    private PublishedRound of(long generation)
    {
        return new PublishedRound(store.toString(), TABLE, generation);
    }

    private Path file()
    {
        return store.resolve("moves").resolve(TABLE + ".out");
    }

    @Test
    void itIsReadAsItWasWritten() throws IOException
    {
        assertNull(of(3).read());
        of(3).remove();
        assertEquals(Set.of(), PublishedRound.tables(store.toString()));
        of(3).write(CONTENT);
        assertEquals(Set.of(7L, 12L), of(3).read().families);
        assertEquals(SSTABLES, of(3).read().sstables);
        assertNull(of(4).read(), "a TRUNCATE has come between");
        assertEquals(Set.of(TABLE), PublishedRound.tables(store.toString()));
        of(3).remove();
        assertNull(of(3).read());
    }

    @Test
    void itIsWrittenAsItAlwaysWas() throws IOException
    {
        of(3).write(CONTENT);
        try (InputStream golden = PublishedRoundTest.class.getResourceAsStream("/golden/departure-v1.txt"))
        {
            assertArrayEquals(golden.readAllBytes(), Files.readAllBytes(file()));
        }
    }

    @Test
    void whatIsDamagedIsRefused() throws IOException
    {
        of(3).write(CONTENT);
        Files.writeString(file(), Files.readString(file()).replace("7 12", "7 11"));
        assertThrows(IOException.class, of(3)::read);
        LabelFile.write(file(), "cassiterite departure 1", Map.of("generation", "3", "sstables", "a"));
        assertThrows(IOException.class, of(3)::read);
        LabelFile.write(file(), "cassiterite departure 1", Map.of("generation", "3", "sstables", "a", "families", ""));
        assertThrows(IOException.class, of(3)::read);
        LabelFile.write(file(), "cassiterite departure 2", Map.of("generation", "3", "sstables", "a", "families", "7"));
        assertThrows(IOException.class, of(3)::read);
    }

    @Test
    void thatOfDroppedTablesIsSwept() throws IOException
    {
        of(3).write(CONTENT);
        new MoveProgress(store.toString(), TABLE, 3).write(new MoveProgress.Point(SSTABLES, -42));
        MoveProgress.sweep(store.toString(), Set.of(TABLE));
        assertTrue(Files.exists(file()));
        MoveProgress.sweep(store.toString(), Set.of(TableId.generate()));
        assertFalse(Files.exists(file()));
    }
}
