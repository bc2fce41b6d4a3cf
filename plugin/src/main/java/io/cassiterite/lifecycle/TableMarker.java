/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.cassiterite.node.LabelFile;
import io.cassiterite.node.StoreIdentity;

/**
 * The file {@code cassiterite.marker} in a table's directory: names the store that has this table's rows. By it a node
 * notices at its start that it would open the table without the engine, or with another store.
 */
final class TableMarker
{
    static final String FILE_NAME = "cassiterite.marker";

    private static final String FORMAT = "cassiterite table marker 1";

    final String tableId;
    final String table;
    final String storeDirectory;
    final String storeId;
    final String plugin;

    /**
     * @param tableId        hexadecimal id of the table, with dashes
     * @param table          keyspace.table, for people
     * @param storeDirectory absolute path of the store
     * @param storeId        see {@link StoreIdentity}
     * @param plugin         versions of what wrote the marker, for people
     */
    TableMarker(String tableId, String table, String storeDirectory, String storeId, String plugin)
    {
        this.tableId = tableId;
        this.table = table;
        this.storeDirectory = storeDirectory;
        this.storeId = storeId;
        this.plugin = plugin;
    }

    boolean isOf(String tableId, String storeId)
    {
        return this.tableId.equals(tableId) && this.storeId.equals(storeId);
    }

    void write(Path tableDirectory) throws IOException
    {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("table_id", tableId);
        values.put("table", table);
        values.put("store_directory", storeDirectory);
        values.put("store_id", storeId);
        values.put("plugin", plugin);
        LabelFile.write(tableDirectory.resolve(FILE_NAME), FORMAT, values);
    }

    static boolean exists(Path tableDirectory)
    {
        return Files.exists(tableDirectory.resolve(FILE_NAME));
    }

    static void remove(Path tableDirectory) throws IOException
    {
        Files.deleteIfExists(tableDirectory.resolve(FILE_NAME));
    }

    static TableMarker read(Path tableDirectory) throws IOException
    {
        Path path = tableDirectory.resolve(FILE_NAME);
        Map<String, String> values = LabelFile.read(path, FORMAT);
        return new TableMarker(value(path, values, "table_id"),
                               value(path, values, "table"),
                               value(path, values, "store_directory"),
                               value(path, values, "store_id"),
                               value(path, values, "plugin"));
    }

    /** @return the markers of all tables under a data directory, also of tables that have been dropped since */
    static List<TableMarker> readAll(Path dataDirectory) throws IOException
    {
        List<TableMarker> markers = new ArrayList<>();
        if (!Files.isDirectory(dataDirectory))
            return markers;
        for (Path keyspace : directories(dataDirectory))
            for (Path table : directories(keyspace))
                if (exists(table))
                    markers.add(read(table));
        return markers;
    }

    private static List<Path> directories(Path parent) throws IOException
    {
        List<Path> directories = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(parent, Files::isDirectory))
        {
            children.forEach(directories::add);
        }
        return directories;
    }

    private static String value(Path path, Map<String, String> values, String name) throws IOException
    {
        String value = values.get(name);
        if (value == null)
            throw new IOException(path + " lacks " + name);
        return value;
    }
}
