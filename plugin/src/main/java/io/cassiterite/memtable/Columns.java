/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.CollectionType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.ColumnIds;

/**
 * A table's non-key columns and the engine's ids of them, for one version of the schema. Immutable and thread-safe.
 */
final class Columns
{
    /** No column has this id. */
    static final int NONE = 0;

    private static final int MAX_ID = 1 << 20;

    final TableMetadata metadata;
    final KeyEncoder keys;
    private final ColumnMetadata[] statics;
    private final ColumnMetadata[] regulars;
    private final int[] staticIds;
    private final int[] regularIds;
    private final Map<ByteBuffer, Integer> idsByName = new HashMap<>();
    private final ColumnMetadata[] byId;
    private final int[] ordinals;

    Columns(TableMetadata metadata, ColumnIds ids)
    {
        this.metadata = metadata;
        this.keys = new KeyEncoder(metadata.comparator);
        int largest = 0;
        for (int i = 0; i < ids.count(); i++)
        {
            largest = Math.max(largest, ids.id(i));
            idsByName.put(ByteBuffer.wrap(ids.name(i)), ids.id(i));
        }
        if (largest > MAX_ID)
            throw new IllegalStateException("column id " + largest + " of " + metadata + " is out of range");
        byId = new ColumnMetadata[largest + 1];
        ordinals = new int[largest + 1];
        statics = order(metadata.staticColumns());
        regulars = order(metadata.regularColumns());
        staticIds = number(statics);
        regularIds = number(regulars);
    }

    private static ColumnMetadata[] order(org.apache.cassandra.db.Columns columns)
    {
        ColumnMetadata[] ordered = new ColumnMetadata[columns.size()];
        int i = 0;
        for (ColumnMetadata column : columns)
            ordered[i++] = column;
        return ordered;
    }

    private int[] number(ColumnMetadata[] columns)
    {
        int[] numbers = new int[columns.length];
        for (int i = 0; i < columns.length; i++)
        {
            Integer id = idsByName.get(columns[i].name.bytes);
            if (id == null)
                throw new IllegalStateException("the engine gave no id to column " + columns[i].name + " of " + metadata);
            numbers[i] = id;
            byId[id] = columns[i];
            ordinals[id] = i;
        }
        return numbers;
    }

    /**
     * The id of a column of any version of the schema, or {@link #NONE} if this version does not have it.
     *
     * @param guess the ordinal at which the search begins; columns of a row come in order, so it is short
     */
    int id(ColumnMetadata column, int guess)
    {
        ColumnMetadata[] columns = column.isStatic() ? statics : regulars;
        int[] ids = column.isStatic() ? staticIds : regularIds;
        for (int i = guess; i < columns.length; i++)
            if (columns[i] == column)
                return ids[i];
        return idByName(column);
    }

    private int idByName(ColumnMetadata column)
    {
        Integer id = idsByName.get(column.name.bytes);
        if (id == null || byId[id] == null)
            return NONE;
        ColumnMetadata own = byId[id];
        return own.isStatic() == column.isStatic() && own.isComplex() == column.isComplex() ? id : NONE;
    }

    /** The column with this id, or null if it was dropped or this version of the schema lacks it. */
    ColumnMetadata column(int id)
    {
        return id > 0 && id < byId.length ? byId[id] : null;
    }

    /** A column's place among the regular (or static) columns, in the order that rows keep their cells in. */
    int ordinal(int id)
    {
        return ordinals[id];
    }

    /** One more than the largest id. */
    int idLimit()
    {
        return byId.length;
    }

    /** The type that orders the cells of a complex column. */
    static AbstractType<?> pathType(ColumnMetadata column)
    {
        AbstractType<?> type = column.type.unwrap();
        return type instanceof UserType ? ((UserType) type).nameComparator() : ((CollectionType<?>) type).nameComparator();
    }

    /** True if values of the type sort as their bytes do, so that a path needs no other form to be ordered by. */
    static boolean sortsRaw(AbstractType<?> type)
    {
        return type == UTF8Type.instance || type == AsciiType.instance || type == BytesType.instance;
    }
}
