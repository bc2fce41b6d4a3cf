/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.utils.ByteBufferUtil;

import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.ShipmentFile;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The stream header, byte for byte. */
class StreamHeaderTest
{
    private static final UUID SHIPMENT = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final List<Range<Token>> RANGES = List.of(range(Long.MIN_VALUE, -9_000_000_000_000_000_000L), range(17, Long.MIN_VALUE));
    private static final StreamHeader WHOLE =
        new StreamHeader(EngineTestAccess.shipmentFile("ABCDEF0123456789-000012.sst\twhole\t67108864\t6\t1000\t\t"), true, SHIPMENT, 3,
                       70_000_000L, RANGES);
    private static final StreamHeader MANIFEST =
        new StreamHeader(EngineTestAccess.shipmentFile("cassiterite.manifest\tmanifest\t500\t0\t0\t\t"), false, SHIPMENT, 3, 70_000_000L,
                       RANGES);

    @Test
    void theFormatIsTheGoldenOne() throws IOException
    {
        assertEquals(golden(2), hex(written(WHOLE)) + hex(written(MANIFEST)));
    }

    @Test
    void theFirstFormatIsRead() throws IOException
    {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(ByteBufferUtil.getArray(ByteBufferUtil.hexToBytes(golden(1)))));
        assertEquals(WHOLE, StreamHeader.read(in));
        assertEquals(MANIFEST, StreamHeader.read(in));
    }

    @Test
    void whatIsWrittenIsRead() throws IOException
    {
        assertEquals(WHOLE, read(written(WHOLE)));
        assertEquals(MANIFEST, read(written(MANIFEST)));
        StreamHeader rows = new StreamHeader(EngineTestAccess.shipmentFile("rows-1.sst\trows\t0\t0\t0\t\twhy"), false, SHIPMENT, 1, 0,
                                             RANGES);
        assertEquals(rows, read(written(rows)));
        assertEquals(RANGES, read(written(MANIFEST)).ranges);
        assertEquals(List.of(), read(written(rows)).ranges);
    }

    @Test
    void asManyRangesAsAShipmentMayHaveFitWithTheLongestName() throws IOException
    {
        StreamHeader header = manifest("m".repeat(128), ranges(StreamHeader.MAX_RANGES));
        assertEquals(header, read(written(header)));
    }

    @Test
    void whatNoReceiverTakesIsNotWritten()
    {
        StreamHeader header = manifest("cassiterite.manifest", ranges(66_000));
        assertThrows(IllegalStateException.class, () -> written(header));
    }

    @Test
    void everyFlippedBitIsNoticed() throws IOException
    {
        byte[] bytes = written(MANIFEST);
        for (int bit = 0; bit < bytes.length * 8; bit++)
        {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThrows(IOException.class, () -> read(damaged));
        }
    }

    @Test
    void aLaterFormatIsNamed() throws IOException
    {
        byte[] bytes = written(WHOLE);
        bytes[0] = 3;
        assertTrue(assertThrows(IOException.class, () -> read(bytes)).getMessage().contains("format 3"));
    }

    @Test
    void aNameThatLeavesTheFolderIsRefused() throws IOException
    {
        for (String name : new String[]{ "../000012.sst", "/etc/passwd", "..", "" })
        {
            ShipmentFile file = EngineTestAccess.shipmentFile(name + "\twhole\t1\t6\t1\t\t");
            StreamHeader header = new StreamHeader(file, false, SHIPMENT, 1, 1, RANGES);
            byte[] bytes = written(header);
            assertThrows(IOException.class, () -> read(bytes), name);
        }
    }

    private static String golden(int version) throws IOException
    {
        try (InputStream golden = StreamHeaderTest.class.getResourceAsStream("/golden/stream-header-v" + version + ".hex"))
        {
            return new String(golden.readAllBytes(), US_ASCII).replaceAll("\\s", "");
        }
    }

    private static StreamHeader manifest(String name, List<Range<Token>> ranges)
    {
        return new StreamHeader(EngineTestAccess.shipmentFile(name + "\tmanifest\t500\t0\t0\t\t"), false, SHIPMENT, 3, 500, ranges);
    }

    private static List<Range<Token>> ranges(int count)
    {
        return LongStream.range(0, count).mapToObj(index -> range(2 * index, 2 * index + 1)).collect(Collectors.toList());
    }

    private static Range<Token> range(long left, long right)
    {
        return new Range<>(new LongToken(left), new LongToken(right));
    }

    private static byte[] written(StreamHeader header) throws IOException
    {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        header.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    private static StreamHeader read(byte[] bytes) throws IOException
    {
        return StreamHeader.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    private static String hex(byte[] bytes)
    {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes)
            text.append(String.format("%02x", b));
        return text.toString();
    }
}
