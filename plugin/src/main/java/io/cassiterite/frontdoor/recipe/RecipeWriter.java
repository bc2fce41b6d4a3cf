/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;
import java.util.UUID;

import io.netty.buffer.ByteBuf;

import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.MD5Digest;

/** Writes the parts of a recipe that say what is read (docs/internals/boundary.md). */
final class RecipeWriter
{
    private static final int VERSION = 1;
    private static final int MAX_COUNT = 0xFFFF;

    private static final int BIND = 0;
    private static final int CONSTANT = 1;

    private static final int ROWS = 0;
    private static final int SLICES = 1;

    private static final int INCL_START = 0;
    private static final int EXCL_START = 1;
    private static final int INCL_END = 2;
    private static final int EXCL_END = 3;

    private static final int REVERSED = 1;
    private static final int FETCHES_STATIC = 2;
    private static final int RETURNS_STATIC = 4;
    private static final int DESCENDING = 0x80;

    private static final int NO_LIMIT = 0;
    private static final int CONSTANT_LIMIT = 1;
    private static final int BOUND_LIMIT = 2;

    private final ByteBuf out;

    RecipeWriter(ByteBuf out)
    {
        this.out = out;
    }

    static void writeCount(int count, ByteBuf out)
    {
        RefusedException.refuseIf(count > MAX_COUNT, RecipeRefusal.TOO_MANY_VALUES);
        out.writeShort(count);
    }

    void writeHead(MD5Digest statement, TableMetadata table, int binds)
    {
        out.writeByte(VERSION);
        out.writeBytes(statement.bytes);
        UUID id = table.id.asUUID();
        out.writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
        writeCount(binds, out);
    }

    /** @param returnsStatic whether static content is returned where the partition has no row */
    void writeRead(ReadPattern read, TableMetadata table, boolean returnsStatic)
    {
        writeCount(read.key.size(), out);
        writeValues(read.key, out);
        writeClusteringTypes(table.clusteringColumns());
        writeSelection(read);
        out.writeByte((read.reversed ? REVERSED : 0)
                      | (read.columns.fetchedColumns().statics.isEmpty() ? 0 : FETCHES_STATIC)
                      | (returnsStatic ? RETURNS_STATIC : 0));
        writeLimit(read.limit);
        writeLimit(read.perPartitionLimit);
    }

    private void writeClusteringTypes(List<ColumnMetadata> columns)
    {
        writeCount(columns.size(), out);
        for (ColumnMetadata column : columns)
            out.writeByte(clusteringType(column));
    }

    static int clusteringType(ColumnMetadata column)
    {
        return KeyTypes.code(column.type, RecipeRefusal.KEY_TYPE) | (column.type.isReversed() ? DESCENDING : 0);
    }

    private void writeSelection(ReadPattern read)
    {
        out.writeByte(read.rows ? ROWS : SLICES);
        writeCount(read.rows ? read.prefixes.size() : read.prefixes.size() / 2, out);
        for (ReadPattern.Prefix prefix : read.prefixes)
        {
            if (!read.rows)
            {
                out.writeByte(bound(prefix.kind));
                writeCount(prefix.values.size(), out);
            }
            writeValues(prefix.values, out);
        }
    }

    private static int bound(ClusteringPrefix.Kind kind)
    {
        switch (kind)
        {
            case INCL_START_BOUND: return INCL_START;
            case EXCL_START_BOUND: return EXCL_START;
            case INCL_END_BOUND: return INCL_END;
            case EXCL_END_BOUND: return EXCL_END;
            default: throw new IllegalArgumentException(kind.toString());
        }
    }

    static void writeValues(List<Operand> values, ByteBuf out)
    {
        for (Operand value : values)
        {
            if (value.isBind())
            {
                out.writeByte(BIND).writeShort(value.bind()).writeByte(value.type());
                continue;
            }
            out.writeByte(CONSTANT).writeInt(value.constant().remaining()).writeBytes(value.constant());
        }
    }

    private void writeLimit(LimitPattern limit)
    {
        if (limit.isNone())
            out.writeByte(NO_LIMIT);
        else if (limit.isBind())
            out.writeByte(BOUND_LIMIT).writeShort(limit.bind());
        else
            out.writeByte(CONSTANT_LIMIT).writeInt(limit.constant());
    }
}
