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

/** M15: how far a move has come is believed for what it was said of, and for nothing else. */
class MoveProgressTest
{
    private static final TableId TABLE = TableId.fromString("5bc52802-de25-35ed-aeab-188eecebb090");
    private static final Set<String> SSTABLES = Set.of("nb-2-big:2048:5:9", "nb-1-big:1024:3:7");

    @TempDir
    Path store;

    private MoveProgress of(long generation)
    {
        return new MoveProgress(store.toString(), TABLE, generation);
    }

    private Path file()
    {
        return store.resolve("moves").resolve(TABLE.toString());
    }

    @Test
    void itIsReadAsItWasWritten() throws IOException
    {
        assertNull(of(3).read());
        of(3).remove();
        of(3).write(new MoveProgress.Point(SSTABLES, -42));
        assertEquals(SSTABLES, of(3).read().sstables);
        assertEquals(-42, of(3).read().token);
        assertNull(of(4).read(), "a TRUNCATE has come between");
        of(3).remove();
        assertNull(of(3).read());
    }

    @Test
    void itIsWrittenAsItAlwaysWas() throws IOException
    {
        of(3).write(new MoveProgress.Point(SSTABLES, -42));
        try (InputStream golden = MoveProgressTest.class.getResourceAsStream("/golden/move-v1.txt"))
        {
            assertArrayEquals(golden.readAllBytes(), Files.readAllBytes(file()));
        }
    }

    @Test
    void whatIsDamagedIsRefused() throws IOException
    {
        of(3).write(new MoveProgress.Point(SSTABLES, -42));
        Files.writeString(file(), Files.readString(file()).replace("-42", "-41"));
        assertThrows(IOException.class, of(3)::read);
        LabelFile.write(file(), "cassiterite move 1", Map.of("generation", "3", "sstables", "a"));
        assertThrows(IOException.class, of(3)::read);
        LabelFile.write(file(), "cassiterite move 2", Map.of("generation", "3", "sstables", "a", "token", "1"));
        assertThrows(IOException.class, of(3)::read);
    }

    @Test
    void thatOfDroppedTablesIsSwept() throws IOException
    {
        MoveProgress.sweep(store.toString(), Set.of());
        of(3).write(new MoveProgress.Point(SSTABLES, -42));
        MoveProgress.sweep(store.toString(), Set.of(TABLE));
        assertTrue(Files.exists(file()));
        MoveProgress.sweep(store.toString(), Set.of(TableId.generate()));
        assertFalse(Files.exists(file()));
    }
}
