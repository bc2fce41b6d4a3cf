/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.io.util.File;

import io.cassiterite.SpoiltBytes;
import io.cassiterite.node.Direction;
import io.cassiterite.node.StoreIdentity;

/** Whatever stands in a table's marker or a store's identity, only the documented exception comes out. */
class LabelFileProperties
{
    private static final String IDENTITY = "cassiterite.store";

    private static Path folder;
    private static byte[] marker;
    private static byte[] identity;

    /** Written once, because each write waits for the device. */
    @BeforeContainer
    static void writeGoodOnes() throws IOException
    {
        folder = Files.createTempDirectory("cassiterite-labels");
        new TableMarker("id", "shop.orders", "/store", "store id", "plugin", Direction.IN).write(folder);
        StoreIdentity.readOrCreate(folder);
        marker = Files.readAllBytes(folder.resolve(TableMarker.FILE_NAME));
        identity = Files.readAllBytes(folder.resolve(IDENTITY));
    }

    @AfterContainer
    static void removeFolder()
    {
        new File(folder).deleteRecursive();
    }

    @Property(tries = 3000)
    void markersAreReadOrRefused(@ForAll long seed) throws IOException
    {
        spoil(folder.resolve(TableMarker.FILE_NAME), marker, new Random(seed));
        try
        {
            TableMarker.read(folder);
        }
        catch (IOException e)
        {
            // as documented
        }
    }

    @Property(tries = 3000)
    void identitiesAreReadOrRefused(@ForAll long seed) throws IOException
    {
        spoil(folder.resolve(IDENTITY), identity, new Random(seed));
        try
        {
            StoreIdentity.read(folder);
        }
        catch (IOException e)
        {
            // as documented
        }
    }

    /** Mostly with the right checksum. */
    private static void spoil(Path file, byte[] good, Random random) throws IOException
    {
        byte[] bytes = SpoiltBytes.of(good, random);
        Files.write(file, bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        int end = text.lastIndexOf("crc32c=");
        if (end < 0 || random.nextInt(4) == 0)
            return;
        String body = random.nextInt(20) == 0 ? "\n".repeat(random.nextInt(3)) : text.substring(0, end);
        CRC32C crc = new CRC32C();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        Files.writeString(file, body + String.format("crc32c=%08x\n", crc.getValue()));
    }
}
