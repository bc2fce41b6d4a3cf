/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.File;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.cassandra.schema.TableId;

/**
 * How far the move of a group of sstables has come, in a file of the store's folder {@code moves}: a store that is put back to
 * what it was takes it along. Believed only for the same generation and the same sstables. For one thread.
 */
final class MoveProgress
{
    private static final String FORMAT = "cassiterite move 1";
    private static final String SSTABLES = "sstables";
    private static final String TOKEN = "token";

    private final MoveFile file;

    /** @param generation of the table */
    MoveProgress(String storeDirectory, TableId table, long generation)
    {
        this.file = new MoveFile(FORMAT, storeDirectory, table.toString(), generation);
    }

    /** All partitions of these sstables up to a token are in the engine. */
    static final class Point
    {
        /** As {@link SstableGroup#name} gives them. */
        final Set<String> sstables;
        final long token;

        Point(Set<String> sstables, long token)
        {
            this.sstables = sstables;
            this.token = token;
        }
    }

    /** @return null if there is none for this generation */
    Point read() throws IOException
    {
        Map<String, String> values = file.read();
        if (values == null)
            return null;
        try
        {
            return new Point(Set.of(values.get(SSTABLES).split(" ")), Long.parseLong(values.get(TOKEN)));
        }
        catch (NumberFormatException | NullPointerException e)
        {
            throw new IOException(file + " lacks " + SSTABLES + " or " + TOKEN, e);
        }
    }

    /** Durable when it returns. */
    void write(Point point) throws IOException
    {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(SSTABLES, MoveFile.words(point.sstables));
        values.put(TOKEN, Long.toString(point.token));
        file.write(values);
    }

    /** Removes what is there of other tables, which have been dropped. */
    static void sweep(String storeDirectory, Set<TableId> tables)
    {
        Set<String> present = tables.stream().map(TableId::toString).collect(Collectors.toSet());
        File[] files = MoveFile.folder(storeDirectory).listFiles(file -> !present.contains(file.getName())
                                                                         && !PublishedRound.isOfOne(file, present));
        for (File file : files == null ? new File[0] : files)
            file.delete();
    }

    /** Durable when it returns. */
    void remove() throws IOException
    {
        file.remove();
    }
}
