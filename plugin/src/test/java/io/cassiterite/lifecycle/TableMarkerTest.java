/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.node.Direction;
import io.cassiterite.node.LabelFile;
import io.cassiterite.node.StoreIdentity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TableMarkerTest
{
    @TempDir
    Path data;

    @Test
    void markersAreFoundBelowTheDataDirectory() throws IOException
    {
        Path table = Files.createDirectories(data.resolve("shop/orders-5bc52802"));
        Files.createDirectories(data.resolve("shop/plain-5bc52803"));
        new TableMarker("id", "shop.orders", "/store", "store id", "plugin", Direction.IN).write(table);

        List<TableMarker> markers = TableMarker.readAll(data);
        assertEquals(1, markers.size());
        assertEquals("shop.orders", markers.get(0).table);
        assertEquals("/store", markers.get(0).storeDirectory);
        assertTrue(markers.get(0).isOf("id", "store id"));
        assertFalse(markers.get(0).isOf("id", "other"));
    }

    @Test
    void itIsWrittenAsItAlwaysWas() throws IOException
    {
        new TableMarker("id", "shop.orders", "/store", "store id", "plugin", Direction.IN).write(data);
        try (InputStream golden = TableMarkerTest.class.getResourceAsStream("/golden/table-marker-v1.txt"))
        {
            assertArrayEquals(golden.readAllBytes(), Files.readAllBytes(data.resolve(TableMarker.FILE_NAME)));
        }
    }

    @Test
    void aDirectionIsKeptAndMakesItAnotherVersion() throws IOException
    {
        new TableMarker("id", "shop.orders", "/store", "store id", "plugin", Direction.HOLD).write(data);
        try (InputStream golden = TableMarkerTest.class.getResourceAsStream("/golden/table-marker-v2.txt"))
        {
            assertArrayEquals(golden.readAllBytes(), Files.readAllBytes(data.resolve(TableMarker.FILE_NAME)));
        }
        assertEquals(Direction.HOLD, TableMarker.read(data).direction);
    }

    @Test
    void aDirectionOfANewerJarIsRefused() throws IOException
    {
        LabelFile.write(data.resolve(TableMarker.FILE_NAME), "cassiterite table marker 2",
                        Map.of("table_id", "1", "table", "a.b", "store_directory", "/s", "store_id", "2", "plugin", "3",
                               "direction", "sideways"));
        IOException refusal = assertThrows(IOException.class, () -> TableMarker.read(data));
        assertTrue(refusal.getMessage().contains("there is no direction 'sideways'. A newer jar wrote it"), refusal.getMessage());
    }

    @Test
    void absentDataDirectoryHasNoMarkers() throws IOException
    {
        assertEquals(List.of(), TableMarker.readAll(data.resolve("absent")));
    }

    @Test
    void everyFlippedBitIsNoticed() throws IOException
    {
        new TableMarker("id", "shop.orders", "/store", "store id", "plugin", Direction.IN).write(data);
        Path file = data.resolve(TableMarker.FILE_NAME);
        byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length - 1; i++) // the last byte is the newline after the checksum
        {
            byte[] bad = good.clone();
            bad[i] ^= 1;
            Files.write(file, bad);
            assertThrows(IOException.class, () -> TableMarker.read(data));
        }
    }

    @Test
    void truncatedFileIsNoticed() throws IOException
    {
        new TableMarker("id", "shop.orders", "/store", "store id", "plugin", Direction.IN).write(data);
        Path file = data.resolve(TableMarker.FILE_NAME);
        String good = Files.readString(file);
        for (int length = 0; length < good.length() - 1; length++)
        {
            Files.writeString(file, good.substring(0, length));
            assertThrows(IOException.class, () -> TableMarker.read(data));
        }
    }

    @Test
    void storeKeepsItsIdentity() throws IOException
    {
        assertNull(StoreIdentity.read(data));
        String id = StoreIdentity.readOrCreate(data);
        assertEquals(id, StoreIdentity.readOrCreate(data));
        assertEquals(id, StoreIdentity.read(data));
    }
}
