/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.cassiterite.node.LabelFile;
import io.cassiterite.node.SyncedFolder;

/**
 * A file of the store's folder {@code moves}, about one generation of one table: a store that is put back to what it was takes it
 * along. For one thread.
 */
final class MoveFile
{
    private static final String FOLDER = "moves";
    private static final String GENERATION = "generation";

    private final String format;
    private final Path file;
    private final long generation;

    /**
     * @param name       of the file
     * @param generation of the table
     */
    MoveFile(String format, String storeDirectory, String name, long generation)
    {
        this.format = format;
        this.file = Path.of(storeDirectory, FOLDER, name);
        this.generation = generation;
    }

    /** The files of all tables. */
    static File folder(String storeDirectory)
    {
        return Path.of(storeDirectory, FOLDER).toFile();
    }

    /** @return null if there is none for this generation */
    Map<String, String> read() throws IOException
    {
        if (!Files.exists(file))
            return null;
        Map<String, String> values = LabelFile.read(file, format);
        return Long.toString(generation).equals(values.get(GENERATION)) ? values : null;
    }

    /** Durable when it returns. */
    void write(Map<String, String> values) throws IOException
    {
        if (!Files.isDirectory(file.getParent()))
        {
            Files.createDirectories(file.getParent());
            SyncedFolder.sync(file.getParent().getParent());
        }
        Map<String, String> all = new LinkedHashMap<>();
        all.put(GENERATION, Long.toString(generation));
        all.putAll(values);
        LabelFile.write(file, format, all);
    }

    /** Durable when it returns. */
    void remove() throws IOException
    {
        if (Files.isDirectory(file.getParent()))
            LabelFile.remove(file);
    }

    /** One value of several words, in their order. */
    static String words(Set<String> words)
    {
        return String.join(" ", new TreeSet<>(words));
    }

    @Override
    public String toString()
    {
        return file.toString();
    }
}
