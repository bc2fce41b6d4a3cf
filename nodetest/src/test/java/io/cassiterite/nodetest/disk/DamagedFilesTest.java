/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.model.StoreFiles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Damaged files of the store: an error that names the file and what to do, never a wrong answer or a crash of the JVM. */
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class DamagedFilesTest
{
    private static final Duration LOG_BOUND = Duration.ofSeconds(120);
    private static final int ROWS = 400;

    private final Blobs blobs = new Blobs("damaged.t", 2000);

    private static NodeBuilder node(String policy)
    {
        return Node.named("damaged").heap("512m").yaml("disk_failure_policy", policy);
    }

    @Test
    void damageIsAnErrorAndNeverAWrongAnswer() throws IOException
    {
        Path data;
        try (Node node = node("best_effort").start(); Cql cql = node.cql())
        {
            data = node.base().resolve("cassiterite/db");
            cql.freshKeyspace("damaged");
            blobs.create(cql);
            blobs.write(cql, ROWS);
            node.nodetool("flush", "damaged").success();
            node.stop();
        }
        Path sst = largest(data, "sst");
        StoreFiles.flip(sst, Files.size(sst) / 2);
        othersAreServed();
        theParanoidStop();
        StoreFiles.flip(sst, Files.size(sst) / 2);
        aDamagedLogIsRefusedAndATornOneIsNot(data);
        filesThatAreGoneAreMissed(data, sst);
        try (Node node = node("stop").keep().start(); Cql cql = node.cql())
        {
            blobs.checkAll(cql);
        }
    }

    private void othersAreServed()
    {
        try (Node node = node("best_effort").keep().start(); Cql cql = node.cql())
        {
            int failing = blobs.failingReads(cql);
            assertTrue(failing >= 1 && failing < ROWS / 4, failing + " reads failed");
            assertThrows(DriverException.class, () -> cql.rows("SELECT * FROM damaged.t"));
            node.log().await("CorruptSSTableException", LOG_BOUND);
            node.log().await("RocksDB: Corruption.*\\.sst", LOG_BOUND);
            assertNotEquals(0, node.nodetool("compact", "damaged").exitCode());
            node.log().await("A compaction of damaged.t has met a damaged file", LOG_BOUND);
            blobs.write(cql, 10);
            assertEquals(failing, blobs.failingReads(cql));
            assertEquals(List.of("automatic_compaction=0"), cql.texts("SELECT automatic_compaction FROM cassiterite.table_compaction"));
            assertTrue(node.isRunning());
            node.stop();
        }
    }

    /** Stock behaviour: `stop` stops for errors of the device, `stop_paranoid` also for a corrupt file. */
    private void theParanoidStop()
    {
        try (Node node = node("stop_paranoid").keep().start(); Cql cql = node.cql())
        {
            assertThrows(DriverException.class, () -> cql.rows("SELECT * FROM damaged.t"));
            node.log().await("Stopping transports as disk_failure_policy is stop_paranoid", LOG_BOUND);
            node.killNine();
        }
    }

    private void aDamagedLogIsRefusedAndATornOneIsNot(Path data) throws IOException
    {
        try (Node node = node("stop").keep().start(); Cql cql = node.cql())
        {
            blobs.write(cql, 100);
            node.killNine();
        }
        Path log = largest(data, "log");
        long middle = Files.size(log) / 2;
        StoreFiles.flip(log, middle);
        assertRefused(log.toString(), "starting would lose acknowledged writes", "wal_recovery");
        StoreFiles.flip(log, middle);
        Files.write(log, new byte[]{ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, StandardOpenOption.APPEND);
        try (Node node = node("stop").keep().start(); Cql cql = node.cql())
        {
            blobs.checkAll(cql);
            node.stop();
        }
    }

    private static void filesThatAreGoneAreMissed(Path data, Path sst) throws IOException
    {
        byte[] whole = Files.readAllBytes(sst);
        Files.write(sst, Arrays.copyOf(whole, whole.length - 100));
        assertRefused(sst.getFileName().toString(), "Corruption");
        Files.write(sst, whole);

        Path manifest = files(data).filter(file -> file.getFileName().toString().startsWith("MANIFEST-")).findFirst().orElseThrow();
        Path aside = data.resolveSibling("aside");
        Files.move(manifest, aside);
        assertRefused(manifest.getFileName().toString());
        Files.move(aside, manifest);
    }

    private static void assertRefused(String... reasons)
    {
        try (Node node = node("stop").keep().build())
        {
            String output = node.startRefused();
            for (String reason : reasons)
                assertTrue(output.contains(reason), () -> "no '" + reason + "' in " + output);
        }
    }

    private static Path largest(Path folder, String extension) throws IOException
    {
        return StoreFiles.largest(files(folder).filter(file -> file.toString().endsWith('.' + extension)).collect(Collectors.toList()));
    }

    private static Stream<Path> files(Path folder) throws IOException
    {
        try (Stream<Path> all = Files.list(folder))
        {
            List<Path> listed = all.collect(Collectors.toList());
            return listed.stream();
        }
    }
}
