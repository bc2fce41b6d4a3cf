/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;

/** Access for tests of other packages. */
public final class EngineTestAccess
{
    private EngineTestAccess()
    {
    }

    /** Ids as an engine could have given them: any order, with gaps. */
    public static ColumnIds columnIds(TableMetadata metadata, Random random)
    {
        List<ColumnMetadata> columns = new ArrayList<>();
        metadata.staticColumns().forEach(columns::add);
        metadata.regularColumns().forEach(columns::add);
        if (random != null)
            Collections.shuffle(columns, random);
        ByteBuffer out = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(columns.size());
        int id = 0;
        for (ColumnMetadata column : columns)
        {
            id += random == null ? 1 : 1 + random.nextInt(3);
            out.putInt(id);
            out.put((byte) (column.isStatic() ? TableSchema.STATIC : TableSchema.REGULAR));
            putBytes(out, ByteBufferUtil.getArray(column.name.bytes));
            putBytes(out, column.type.asCQL3Type().toString().getBytes());
        }
        out.flip();
        return ColumnIds.parse(ByteBufferUtil.getArray(out));
    }

    private static void putBytes(ByteBuffer out, byte[] bytes)
    {
        out.putInt(bytes.length);
        out.put(bytes);
    }

    /** A generation that nobody calls. */
    public static Table table(String name)
    {
        return new Table(null, 0, name);
    }

    /** A file of a shipment from the engine's line of tab-separated values. */
    public static ShipmentFile shipmentFile(String line)
    {
        return ShipmentFile.parse("names\n" + line).get(0);
    }

    /** Merges fragments of one kind in the engine. */
    public static byte[] merge(int kind, List<byte[]> fragments)
    {
        int size = 0;
        for (byte[] fragment : fragments)
            size += 4 + fragment.length;
        ByteBuffer all = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        for (byte[] fragment : fragments)
            putBytes(all, fragment);
        return Native.mergeFragments(kind, all.array());
    }

    /** What a table digests of another node's read; null if it refuses. */
    public static byte[] digest(Table table, byte[] spec, byte[] read)
    {
        return Native.tableDigest(table.handle(), spec, read);
    }
}
