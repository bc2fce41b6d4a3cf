/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.schema.TableId;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which segments of the commit log a replay leaves out, and of which tables (danger M12). */
class LoggedSegmentsTest
{
    private static final TableId ORDERS = TableId.fromString("5bc52802-de25-35ed-aeab-188eecebb090");
    private static final TableId NOTES = TableId.fromString("11111111-de25-35ed-aeab-188eecebb090");
    private static final TableId ENTERING = TableId.fromString("22222222-de25-35ed-aeab-188eecebb090");

    @TempDir
    Path store;

    @Test
    void theNextStartKnowsWhatWasNoted() throws IOException
    {
        LoggedSegments first = open(Set.of(), ORDERS, NOTES);
        first.note(ORDERS, 100);
        first.note(ORDERS, 102);
        LoggedSegments next = open(Set.of());
        for (long segment : List.of(100L, 101L, 102L))
            assertTrue(next.has(ORDERS, segment) && next.has(NOTES, segment));
        assertFalse(next.has(ORDERS, 99) || next.has(ORDERS, 103), "of a run without the engine");
        assertFalse(next.has(ENTERING, 101), "it was not in the engine then");
    }

    @Test
    void aWriteOfAnEarlierSegmentMayComeLater() throws IOException
    {
        LoggedSegments first = open(Set.of(), ORDERS);
        first.note(ORDERS, 102);
        first.note(ORDERS, 101);
        assertTrue(open(Set.of()).has(ORDERS, 101));
    }

    @Test
    void aTableThatIsCreatedLaterBelongsToTheRun() throws IOException
    {
        LoggedSegments first = open(Set.of(), ORDERS);
        first.note(ORDERS, 100);
        first.note(NOTES, 100);
        assertTrue(open(Set.of()).has(NOTES, 100));
    }

    /** As where its archive command has failed. */
    @Test
    void anEarlierRunIsKnownWhileOneOfItsSegmentsIsThere() throws IOException
    {
        open(Set.of(), ORDERS).note(ORDERS, 100);
        open(Set.of(100L), NOTES).note(NOTES, 200);
        LoggedSegments third = open(Set.of(200L), NOTES);
        assertTrue(third.has(ORDERS, 100) && third.has(NOTES, 200));
        assertFalse(third.has(ORDERS, 200));
        third.note(NOTES, 300);
        assertFalse(open(Set.of()).has(ORDERS, 100));
        assertTrue(open(Set.of()).has(NOTES, 200));
    }

    @Test
    void whatIsNotedIsNotWrittenAgain() throws IOException
    {
        LoggedSegments first = open(Set.of(), ORDERS);
        first.note(ORDERS, 100);
        Files.delete(store.resolve(LoggedSegments.FILE_NAME));
        first.note(ORDERS, 100);
        assertFalse(Files.exists(store.resolve(LoggedSegments.FILE_NAME)));
    }

    @Test
    void aWriteFailsThatCannotBeNoted() throws IOException
    {
        LoggedSegments first = open(Set.of(), ORDERS);
        Path obstacle = Files.createDirectory(store.resolve(LoggedSegments.FILE_NAME + ".new"));
        assertThrows(FSWriteError.class, () -> first.note(ORDERS, 100));
        assertFalse(first.has(ORDERS, 100));
        Files.delete(obstacle);
        first.note(ORDERS, 101);
        assertTrue(open(Set.of()).has(ORDERS, 101));
    }

    @Test
    void itIsWrittenAsItAlwaysWas() throws IOException
    {
        open(Set.of(), ORDERS).note(ORDERS, 100);
        LoggedSegments second = open(Set.of(100L), ORDERS, NOTES);
        second.note(ORDERS, 200);
        second.note(ORDERS, 201);
        try (InputStream golden = LoggedSegmentsTest.class.getResourceAsStream("/golden/logged-segments-v1.txt"))
        {
            assertEquals(new String(golden.readAllBytes()), Files.readString(store.resolve(LoggedSegments.FILE_NAME)));
        }
    }

    @Test
    void everyFlippedBitIsNoticed() throws IOException
    {
        open(Set.of(), ORDERS).note(ORDERS, 100);
        Path file = store.resolve(LoggedSegments.FILE_NAME);
        byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length - 1; i++) // the last byte is the newline after the checksum
        {
            byte[] bad = good.clone();
            bad[i] ^= 1;
            Files.write(file, bad);
            assertThrows(IOException.class, () -> open(Set.of()));
        }
        Files.write(file, good);
        open(Set.of());
        assertArrayEquals(good, Files.readAllBytes(file));
    }

    private LoggedSegments open(Set<Long> present, TableId... tables) throws IOException
    {
        return LoggedSegments.read(store, () -> present, () -> List.of(tables));
    }
}
