/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.DroppedColumn;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.UUIDGen;

/** Writes the schema of a table for the engine (docs/internals/boundary.md, "Table schema request"). */
public final class TableSchema
{
    static final int REGULAR = 0;
    static final int STATIC = 1;

    private static final int VERSION = 3;
    private static final int COUNTER = 1;
    private static final long MICROS_PER_MILLI = 1000;

    private TableSchema()
    {
    }

    /** The request for {@code metadata}, its non-key columns in their own order, statics first. */
    public static byte[] request(TableMetadata metadata)
    {
        return request(metadata, column -> 0);
    }

    /** The same with the oldest columns first: the engine numbers those that are new to it in this order. */
    public static byte[] request(TableMetadata metadata, ToLongFunction<ColumnMetadata> addedMicros)
    {
        List<ColumnMetadata> columns = new ArrayList<>();
        metadata.staticColumns().forEach(columns::add);
        metadata.regularColumns().forEach(columns::add);
        columns.sort(Comparator.comparingLong(addedMicros));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(VERSION);
        out.write(metadata.isCounter() ? COUNTER : 0);
        putBytes(out, identity(metadata.id));
        putBytes(out, metadata.keyspace.getBytes(StandardCharsets.UTF_8));
        putBytes(out, metadata.name.getBytes(StandardCharsets.UTF_8));
        putBytes(out, key(metadata).getBytes(StandardCharsets.UTF_8));
        putInt(out, columns.size());
        for (ColumnMetadata column : columns)
            putColumn(out, column);
        putInt(out, metadata.droppedColumns.size());
        for (DroppedColumn dropped : metadata.droppedColumns.values())
            putDropped(out, dropped);
        return out.toByteArray();
    }

    /** @return the types of the key, for comparison and for people; names may be changed */
    public static String key(TableMetadata metadata)
    {
        List<String> key = new ArrayList<>();
        key.add(metadata.partitionKeyColumns().stream().map(TableSchema::type).collect(Collectors.joining(", ", "(", ")")));
        metadata.clusteringColumns().forEach(column -> key.add(type(column)));
        return String.join(", ", key);
    }

    private static String type(ColumnMetadata column)
    {
        return column.type.unwrap().asCQL3Type() + (column.type.isReversed() ? " DESC" : "");
    }

    /** What names a table in the store: its id. */
    public static byte[] identity(TableId id)
    {
        return UUIDGen.decompose(id.asUUID());
    }

    private static void putColumn(ByteArrayOutputStream out, ColumnMetadata column)
    {
        out.write(column.isStatic() ? STATIC : REGULAR);
        putBytes(out, ByteBufferUtil.getArray(column.name.bytes));
        putBytes(out, column.type.asCQL3Type().toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The schema's tables have milliseconds: before the node's next start a drop must not seem younger than after it. */
    private static void putDropped(ByteArrayOutputStream out, DroppedColumn dropped)
    {
        out.write(dropped.column.isStatic() ? STATIC : REGULAR);
        putBytes(out, ByteBufferUtil.getArray(dropped.column.name.bytes));
        putLong(out, Math.floorDiv(dropped.droppedTime, MICROS_PER_MILLI));
    }

    private static void putBytes(ByteArrayOutputStream out, byte[] bytes)
    {
        putInt(out, bytes.length);
        out.write(bytes, 0, bytes.length);
    }

    private static void putInt(ByteArrayOutputStream out, int value)
    {
        for (int shift = 0; shift < 32; shift += 8)
            out.write(value >>> shift);
    }

    private static void putLong(ByteArrayOutputStream out, long value)
    {
        putInt(out, (int) value);
        putInt(out, (int) (value >>> 32));
    }
}
