/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Cassandra's sstableloader, and the sstables of a node for it. */
public final class SstableLoader
{
    private static final Duration BOUND = Duration.ofSeconds(180);

    private SstableLoader()
    {
    }

    /** @return a new folder with copies of a table's live sstables; flush it before */
    public static Path copies(Node node, String keyspace, String table)
    {
        try (Stream<Path> files = Files.list(folder(node, keyspace, table)))
        {
            Path copies = Files.createDirectories(Files.createTempDirectory(node.base(), "copies").resolve(keyspace).resolve(table));
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList()))
                Files.copy(file, copies.resolve(file.getFileName()));
            return copies;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the folder of a table that has not been dropped and made again */
    public static Path folder(Node node, String keyspace, String table)
    {
        try (Stream<Path> folders = Files.list(node.base().resolve("data").resolve(keyspace)))
        {
            return folders.filter(folder -> folder.getFileName().toString().startsWith(table + '-')).findFirst().orElseThrow();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the sizes of a table's data files of sstables, also of those that are not complete; unit: bytes */
    public static List<Long> sizes(Node node, String keyspace, String table)
    {
        return sizes(folder(node, keyspace, table));
    }

    /** @return the sizes of the data files of sstables in a folder, ascending; unit: bytes */
    public static List<Long> sizes(Path folder)
    {
        try (Stream<Path> files = Files.list(folder))
        {
            return files.filter(file -> file.toString().endsWith("-Data.db")).map(file -> file.toFile().length()).sorted()
                        .collect(Collectors.toList());
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Loads the sstables of a folder into a table, which may have another name than theirs. */
    public static Output load(Node node, Path folder, String keyspace, String table, String... options)
    {
        Path cassandra = Checkout.root().resolve("build/cassandra/lib");
        List<String> command = new ArrayList<>(List.of("java", "@" + Checkout.root().resolve("config/jvm17.options"), "-Xmx256m",
                                                       "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                                                       "-XX:SharedArchiveFile=" + classArchive(),
                                                       "-Dcassandra.storagedir=" + node.base().resolve("loader"), "-cp", cassandra + "/*",
                                                       "org.apache.cassandra.tools.BulkLoader", "--no-progress", "-d", node.address(),
                                                       "-p", Integer.toString(node.cqlAddress().getPort()),
                                                       "-sp", Integer.toString(node.storagePort()), "-k", keyspace, "-tb", table));
        command.addAll(Arrays.asList(options));
        command.add(folder.toString());
        return Command.run(command, BOUND);
    }

    /** The JVM goes without where there is none. */
    private static String classArchive()
    {
        return Command.run(List.of(Checkout.root().resolve("scripts/class-archive.sh").toString(), "--name"), BOUND).success().trim();
    }
}
