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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32C;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

import io.cassiterite.SpoiltBytes;
import io.cassiterite.engine.EngineTestAccess;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever a peer sends or publishes by gossip, only the documented exception is thrown. */
class StreamDecoderProperties
{
    private static final int BODY = 5;
    private static final List<Range<Token>> RANGES = List.of(new Range<>(new LongToken(Long.MIN_VALUE), new LongToken(3)),
                                                             new Range<>(new LongToken(17), new LongToken(Long.MIN_VALUE)));

    @Property(tries = 5000)
    void headersAreReadOrRefused(@ForAll long seed) throws IOException
    {
        Random random = new Random(seed);
        byte[] written = written(random.nextBoolean() ? "x-000012.sst\twhole\t67108864\t6\t1000\t\t"
                                                      : "cassiterite.manifest\tmanifest\t500\t0\t0\t\t");
        byte[] bytes = SpoiltBytes.of(written, random);
        if (random.nextInt(4) > 0)
            bytes = sealed(bytes);
        try
        {
            StreamHeader header = StreamHeader.read(new DataInputStream(new ByteArrayInputStream(bytes)));
            assertTrue(header.bytes >= 0 && header.shipmentFiles > 0 && !header.name.contains("/"), header.toString());
        }
        catch (IOException e)
        {
            // as documented
        }
    }

    @Property(tries = 2000)
    void gossipIsUnderstoodOrIgnored(@ForAll long seed)
    {
        Random random = new Random(seed);
        String encoded = RetainedFilesGossip.encode(List.of(random.nextLong(), 7L));
        RetainedFilesGossip.decode(spoilt(encoded, random));
    }

    private static String spoilt(String text, Random random)
    {
        return new String(SpoiltBytes.of(text.getBytes(StandardCharsets.UTF_8), random), StandardCharsets.UTF_8);
    }

    private static byte[] written(String file) throws IOException
    {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new StreamHeader(EngineTestAccess.shipmentFile(file), false, new UUID(1, 2), 3, 70_000_000L, RANGES)
        .write(new DataOutputStream(out));
        return out.toByteArray();
    }

    /** With the right length and checksum in place of its own. */
    private static byte[] sealed(byte[] bytes)
    {
        if (bytes.length < BODY + Integer.BYTES)
            return bytes;
        ByteBuffer buffer = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int end = bytes.length - Integer.BYTES;
        buffer.putInt(1, end - BODY);
        CRC32C crc = new CRC32C();
        crc.update(buffer.array(), 0, end);
        buffer.putInt(end, (int) crc.getValue());
        return buffer.array();
    }
}
