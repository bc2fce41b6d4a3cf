/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.cassandra.schema.TableId;

/**
 * The sstables of a round of rows that leave the engine, in a file of the store's folder {@code moves} from before they become the
 * table's until the engine has forgotten the rows. A round that ends in between leaves the rows in both: these sstables can be
 * deleted then. Believed only for the same generation, while all families of the engine are there that departed. For one thread.
 */
final class PublishedRound
{
    private static final String FORMAT = "cassiterite departure 1";
    private static final String END = ".out";
    private static final String FAMILIES = "families";
    private static final String SSTABLES = "sstables";

    private final MoveFile file;

    /** @param generation of the table */
    PublishedRound(String storeDirectory, TableId table, long generation)
    {
        this.file = new MoveFile(FORMAT, storeDirectory, table + END, generation);
    }

    /** All rows of these sstables were in these families of the engine. Immutable. */
    static final class Content
    {
        final Set<Long> families;
        /** As {@link SstableGroup#name} gives them. */
        final Set<String> sstables;

        Content(Set<Long> families, Set<String> sstables)
        {
            this.families = Set.copyOf(families);
            this.sstables = Set.copyOf(sstables);
        }
    }

    /** Durable when it returns. */
    void write(Content content) throws IOException
    {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(FAMILIES, new TreeSet<>(content.families).stream().map(String::valueOf).collect(Collectors.joining(" ")));
        values.put(SSTABLES, MoveFile.words(content.sstables));
        file.write(values);
    }

    /** @return null if there is none for this generation */
    Content read() throws IOException
    {
        Map<String, String> values = file.read();
        if (values == null)
            return null;
        try
        {
            return new Content(Arrays.stream(values.get(FAMILIES).split(" ")).map(Long::valueOf).collect(Collectors.toSet()),
                               Set.of(values.get(SSTABLES).split(" ")));
        }
        catch (IllegalArgumentException | NullPointerException e)
        {
            throw new IOException(file + " lacks " + FAMILIES + " or " + SSTABLES, e);
        }
    }

    /** Durable when it returns. */
    void remove() throws IOException
    {
        file.remove();
    }

    /** Tables of which there is a file. */
    static Set<TableId> tables(String storeDirectory)
    {
        String[] names = MoveFile.folder(storeDirectory).list((folder, name) -> name.endsWith(END));
        return Arrays.stream(names == null ? new String[0] : names)
                     .map(name -> TableId.fromString(name.substring(0, name.length() - END.length()))).collect(Collectors.toSet());
    }

    /** Whether a file of the folder is of one of these tables. */
    static boolean isOfOne(File file, Set<String> tables)
    {
        return file.getName().endsWith(END) && tables.contains(file.getName().substring(0, file.getName().length() - END.length()));
    }
}
