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

import io.cassiterite.node.Direction;
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
    /** Has a direction other than {@link Direction#IN}: jars that know version 1 alone would go on without it. */
    private static final String FORMAT_WITH_DIRECTION = "cassiterite table marker 2";
    private static final String DIRECTION = "direction";

    final String tableId;
    final String table;
    final String storeDirectory;
    final String storeId;
    final String plugin;
    final Direction direction;

    /**
     * @param tableId        hexadecimal id of the table, with dashes
     * @param table          keyspace.table, for people
     * @param storeDirectory absolute path of the store
     * @param storeId        see {@link StoreIdentity}
     * @param plugin         versions of what wrote the marker, for people
     */
    TableMarker(String tableId, String table, String storeDirectory, String storeId, String plugin, Direction direction)
    {
        this.tableId = tableId;
        this.table = table;
        this.storeDirectory = storeDirectory;
        this.storeId = storeId;
        this.plugin = plugin;
        this.direction = direction;
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
        if (direction != Direction.IN)
            values.put(DIRECTION, direction.text());
        LabelFile.write(tableDirectory.resolve(FILE_NAME), direction == Direction.IN ? FORMAT : FORMAT_WITH_DIRECTION, values);
    }

    static boolean exists(Path tableDirectory)
    {
        return Files.exists(tableDirectory.resolve(FILE_NAME));
    }

    static void remove(Path tableDirectory) throws IOException
    {
        LabelFile.remove(tableDirectory.resolve(FILE_NAME));
    }

    static TableMarker read(Path tableDirectory) throws IOException
    {
        Path path = tableDirectory.resolve(FILE_NAME);
        Map<String, String> values = LabelFile.read(path, FORMAT, FORMAT_WITH_DIRECTION);
        return new TableMarker(value(path, values, "table_id"),
                               value(path, values, "table"),
                               value(path, values, "store_directory"),
                               value(path, values, "store_id"),
                               value(path, values, "plugin"),
                               direction(path, values));
    }

    private static Direction direction(Path path, Map<String, String> values) throws IOException
    {
        try
        {
            return values.containsKey(DIRECTION) ? Direction.of(values.get(DIRECTION)) : Direction.IN;
        }
        catch (IllegalArgumentException e)
        {
            throw new IOException(path + ": " + e.getMessage() + ". A newer jar wrote it: start with that one", e);
        }
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
