/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;
import java.util.UUID;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.MD5Digest;

/** Writes recipes of modifications, version 2 (docs/internals/boundary.md). */
final class ModificationWriter
{
    private static final int VERSION = 2;
    private static final int ROW = 0;
    private static final int STATIC_ROW = 1;
    private static final int INSERT = 0;
    private static final int UPDATE = 1;
    private static final int DELETE = 2;
    private static final int PUT = 0;
    private static final int REMOVE = 1;
    private static final int FOR_EVER = 0;
    private static final int EXPIRES = 1;

    private final ByteBuf out = Unpooled.buffer();
    private final ToIntFunction<ColumnMetadata> ids;

    /** @param ids the engine's numbers of columns */
    ModificationWriter(ToIntFunction<ColumnMetadata> ids)
    {
        this.ids = ids;
    }

    byte[] write(MD5Digest statement, TableMetadata table, int binds, ModificationPattern pattern)
    {
        out.writeByte(VERSION);
        out.writeBytes(statement.bytes);
        UUID id = table.id.asUUID();
        out.writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
        RecipeWriter.writeCount(binds, out);
        RecipeWriter.writeCount(pattern.key.size(), out);
        RecipeWriter.writeValues(pattern.key, out);
        out.writeByte(pattern.isStatic ? STATIC_ROW : ROW);
        writeClustering(pattern, table.clusteringColumns());
        out.writeByte(pattern.deletesRow ? DELETE : pattern.isInsert ? INSERT : UPDATE);
        writeCells(pattern);
        out.writeByte(pattern.ttl == null ? FOR_EVER : EXPIRES);
        if (pattern.ttl != null)
            RecipeWriter.writeValues(List.of(pattern.ttl), out);
        return ByteBufUtil.getBytes(out);
    }

    private void writeClustering(ModificationPattern pattern, List<ColumnMetadata> columns)
    {
        RecipeWriter.writeCount(pattern.clustering.size(), out);
        for (int i = 0; i < pattern.clustering.size(); i++)
        {
            out.writeByte(RecipeWriter.clusteringType(columns.get(i)));
            RecipeWriter.writeValues(List.of(pattern.clustering.get(i)), out);
        }
    }

    /** Ascending by number. */
    private void writeCells(ModificationPattern pattern)
    {
        RecipeWriter.writeCount(pattern.cells.size(), out);
        List<ModificationPattern.Written> sorted =
            pattern.cells.stream().sorted((one, other) -> Integer.compareUnsigned(id(one), id(other))).collect(Collectors.toList());
        for (ModificationPattern.Written cell : sorted)
        {
            out.writeInt(id(cell));
            out.writeByte(cell.value == null ? REMOVE : PUT);
            if (cell.value != null)
                RecipeWriter.writeValues(List.of(cell.value), out);
        }
    }

    private int id(ModificationPattern.Written cell)
    {
        return ids.applyAsInt(cell.column);
    }
}
