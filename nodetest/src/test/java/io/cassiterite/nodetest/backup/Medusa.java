/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Checkout;

/**
 * What Medusa 0.31 does with the files of a node: the snapshot's files go into one folder for each table, of sub-folders only those
 * whose name begins with a dot stay; a differential backup takes a file of the same table, name and size for the same file; a
 * restore replaces the folder of each table, and empties the commit log.
 */
final class Medusa
{
    /** Several backups share their files, as differential ones do. */
    private final Path storage;
    /** By the name of the backup: the files of it, as keyspace/table-id/file. */
    private final Map<String, List<Path>> backups = new TreeMap<>();

    Medusa(Path storage)
    {
        this.storage = storage;
    }

    /** @return how many files were in an earlier backup */
    int backUp(Path data, String tag) throws IOException
    {
        int known = 0;
        List<Path> files = new ArrayList<>();
        for (Path file : files(data))
        {
            Path path = data.relativize(file);
            if (path.getNameCount() < 5 || !path.getName(2).toString().equals("snapshots") || !path.getName(3).toString().equals(tag))
                continue;
            Path parent = file.getParent().getFileName();
            Path name = parent.toString().startsWith(".") ? parent.resolve(file.getFileName()) : file.getFileName();
            Path kept = path.subpath(0, 2).resolve(name);
            files.add(kept);
            Path there = storage.resolve(kept);
            if (Files.exists(there) && Files.size(there) == Files.size(file))
                known++;
            else if (Files.exists(there) && name.startsWith(".cassiterite"))
                throw new AssertionError(there + " of an earlier backup would be replaced");
            else
                copy(file, there);
        }
        backups.put(tag, files);
        return known;
    }

    /** @param isInPlace else onto another node, which keeps what it knows of itself */
    void restore(String tag, Path base, boolean isInPlace) throws IOException
    {
        Checkout.delete(base.resolve("commitlog"));
        Map<Path, List<Path>> tables = backups.get(tag).stream().collect(Collectors.groupingBy(file -> file.subpath(0, 2)));
        for (Map.Entry<Path, List<Path>> table : tables.entrySet())
        {
            String name = table.getKey().toString();
            if (!isInPlace && (name.startsWith("system/local-") || name.startsWith("system/peers")))
                continue;
            Path data = base.resolve("data");
            Checkout.delete(data.resolve(table.getKey()));
            for (Path file : table.getValue())
                copy(storage.resolve(file), data.resolve(file));
        }
    }

    private static void copy(Path from, Path to) throws IOException
    {
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static List<Path> files(Path folder) throws IOException
    {
        try (Stream<Path> paths = Files.walk(folder))
        {
            return paths.filter(Files::isRegularFile).collect(Collectors.toList());
        }
    }
}
