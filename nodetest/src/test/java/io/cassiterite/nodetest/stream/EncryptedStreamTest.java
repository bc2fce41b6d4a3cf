/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.List;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Streams through TLS, where nothing can be sent by sendfile: they work, and both nodes report the copied bytes. */
@Tag("cluster")
@Timeout(1200)
class EncryptedStreamTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);

    @Test
    void aNodeJoinsAndAllBytesAreCopied()
    {
        InternodeKeys keys = InternodeKeys.create("tls-keys");
        try (Node first = keys.on(JoinAndLeaveTest.node("tls-1", "127.0.0.1")).start(); Cql cql = first.cql())
        {
            StreamedTables tables = StreamedTables.create(first, cql, "enciphered", 2);
            List<String> expected = tables.contents(cql);
            try (Node second = keys.on(JoinAndLeaveTest.node("tls-2", "127.0.0.2")).joining(first).start())
            {
                assertAllCopied(cql, "OUT");
                first.log().await("to /127\\.0\\.0\\.2:.* is copied, for the connection is encrypted", BOUND);
                try (Cql joined = second.cql())
                {
                    JoinAndLeaveTest.assertStreams(joined, "IN");
                    assertAllCopied(joined, "IN");
                    NetStats.assertFulfilled(joined, "Bootstrap");
                }
                StreamFolders.awaitEmpty(first, "enciphered");
                StreamFolders.awaitEmpty(second, "enciphered");
                Peers.kill(first, second);
                try (Cql rest = second.cql())
                {
                    tables.assertContents(expected, rest);
                }
            }
        }
    }

    private static void assertAllCopied(Cql cql, String direction)
    {
        List<Row> streams = cql.localRows("SELECT direction_name, expected_bytes, copied_bytes FROM cassiterite.streams");
        streams.removeIf(row -> !direction.equals(row.getString("direction_name")));
        assertTrue(streams.size() > 0, "no streams");
        for (Row row : streams)
            assertEquals(row.getLong("expected_bytes"), row.getLong("copied_bytes"), row.getFormattedContents());
    }
}
