/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compactions of stock tables that were committed and whose old files are still there. Cassandra 5.0 deletes an sstable from
 * the oldest file to the newest, and does not start where the newest is gone and others are not. The files of SAI are
 * deleted on their own, so a node that ends meanwhile needs an operator, who does this.
 */
final class CommittedCompactions
{
    private static final Pattern LOG = Pattern.compile(".*_txn_.+\\.log");
    private static final Pattern REMOVED = Pattern.compile("REMOVE:\\[([^,]+),.*");

    private CommittedCompactions()
    {
    }

    /** @param data the data directory of a node that is down */
    static void finish(Path data)
    {
        try (Stream<Path> files = Files.walk(data).filter(file -> LOG.matcher(file.getFileName().toString()).matches()))
        {
            for (Path log : files.collect(Collectors.toList()))
                finishOne(log);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static void finishOne(Path log) throws IOException
    {
        List<String> records = Files.readAllLines(log);
        if (records.stream().noneMatch(record -> record.startsWith("COMMIT:")))
            return;
        for (String record : records)
        {
            Matcher removed = REMOVED.matcher(record);
            if (removed.matches())
                delete(Path.of(removed.group(1)));
        }
        Files.delete(log);
    }

    /** @param sstable the path that the names of all its files begin with */
    private static void delete(Path sstable) throws IOException
    {
        try (Stream<Path> files = Files.list(sstable.getParent()))
        {
            String prefix = sstable.getFileName().toString();
            for (Path file : files.filter(file -> file.getFileName().toString().startsWith(prefix)).collect(Collectors.toList()))
                Files.delete(file);
        }
    }
}
