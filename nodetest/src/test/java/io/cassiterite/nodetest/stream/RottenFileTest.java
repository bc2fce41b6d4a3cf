/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.model.StoreFiles;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A file that the disk has damaged since it was written is not streamed to another node, although no byte of it is read
 * as a row.
 */
@Timeout(1200)
class RottenFileTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);

    @Test
    void aFileThatHasRottedAtTheSenderIsRefused() throws IOException
    {
        try (Node first = JoinAndLeaveTest.node("rot-1", "127.0.0.1").start();
             Node second = FaultyStreamTest.joining("rot-2", first).build();
             Cql cql = first.cql())
        {
            StreamedTables tables = StreamedTables.create(first, cql, "rotten", 2);
            List<String> expected = tables.contents(cql);
            second.start();
            Peers.awaitUp(first, second);

            Path rotten = StoreFiles.largest(StoreFiles.sstFiles(first));
            long middle = Files.size(rotten) / 2;
            StoreFiles.flip(rotten, middle);
            assertNotEquals(0, second.nodetool("rebuild", "-ks", "rotten").exitCode());
            String refusal = second.log().await("or on the disk there", BOUND);
            assertTrue(refusal.contains("-" + rotten.getFileName()) && refusal.contains("127.0.0.1"), refusal);
            StreamFolders.awaitEmpty(first, "rotten");
            StreamFolders.awaitEmpty(second, "rotten");

            StoreFiles.flip(rotten, middle);
            second.nodetool("rebuild", "-ks", "rotten").success();
            Peers.kill(first, second);
            try (Cql rest = second.cql())
            {
                tables.assertContents(expected, rest);
            }
        }
    }
}
