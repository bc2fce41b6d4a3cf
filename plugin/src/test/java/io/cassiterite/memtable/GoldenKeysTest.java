/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.TypeParser;
import org.apache.cassandra.utils.ByteBufferUtil;

import io.cassiterite.engine.DirectOutput;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The bytes of keys are pinned: stores have them. Lines of the file: type, value and form, between tabs. */
class GoldenKeysTest
{
    @BeforeAll
    static void initialize()
    {
        TestNode.initialize();
    }

    static List<String> lines() throws IOException
    {
        try (InputStream file = GoldenKeysTest.class.getResourceAsStream("/golden/keys-v1.txt"))
        {
            return List.of(new String(file.readAllBytes(), StandardCharsets.UTF_8).split("\n"));
        }
    }

    @ParameterizedTest
    @MethodSource("lines")
    void aKeyHasTheGoldenBytes(String line)
    {
        String[] parts = line.split("\t", -1);
        AbstractType<?> type = TypeParser.parse(parts[0]);
        assertEquals(parts[2], form(type, ByteBufferUtil.hexToBytes(parts[1])));
    }

    private static String form(AbstractType<?> type, ByteBuffer value)
    {
        DirectOutput out = new DirectOutput();
        new KeyEncoder(new ClusteringComparator(type)).putClustering(out, Clustering.make(value));
        return ByteBufferUtil.bytesToHex(ByteBuffer.wrap(out.copyFrom(0)));
    }
}
