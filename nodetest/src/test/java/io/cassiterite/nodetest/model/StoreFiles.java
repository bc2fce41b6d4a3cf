/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The engine's SST files of a node, snapshots left out. */
public final class StoreFiles
{
    private StoreFiles()
    {
    }

    /** The one with the most bytes. */
    public static Path largest(List<Path> files)
    {
        return files.stream().max(Comparator.comparingLong(StoreFiles::size)).orElseThrow();
    }

    /** Damages one bit of a file, or mends it if it has been damaged so. */
    public static void flip(Path file, long at) throws IOException
    {
        byte[] bytes = Files.readAllBytes(file);
        bytes[Math.toIntExact(at)] ^= 0x10;
        Files.write(file, bytes);
    }

    static long sstBytes(Node node)
    {
        long sum = 0;
        for (Path file : sstFiles(node))
            sum += size(file);
        return sum;
    }

    public static List<Path> sstFiles(Node node)
    {
        try (Stream<Path> tree = Files.walk(node.base()))
        {
            return tree.filter(f -> f.toString().endsWith(".sst") && !f.toString().contains("/snapshots/")).collect(Collectors.toList());
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        catch (UncheckedIOException e)
        {
            // The engine removed a folder meanwhile.
            return sstFiles(node);
        }
    }

    private static long size(Path file)
    {
        try
        {
            return Files.size(file);
        }
        catch (NoSuchFileException e)
        {
            return 0;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the engine's SSTs are no larger than so many bytes. */
    static void awaitAtMost(Node node, long bytes, Duration bound)
    {
        Await.untilAsserted(bound, () -> {
            long left = sstBytes(node);
            assertTrue(left <= bytes, () -> "still " + left + " bytes in " + sstFiles(node) + ", not at most " + bytes);
        });
    }
}
