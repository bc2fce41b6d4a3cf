/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;
import java.util.function.ToIntFunction;

import io.netty.buffer.ByteBuf;

import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.db.Columns;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.schema.ColumnMetadata;

import static io.cassiterite.frontdoor.recipe.RefusedException.refuseIf;

/** Writes the columns of a recipe: those that the client gets, and those that show whether a row lives. */
final class ResultColumns
{
    private static final int PARTITION_KEY = 0;
    private static final int CLUSTERING = 1;
    private static final int REGULAR = 2;
    private static final int STATIC = 3;

    private static final int SIMPLE = 0;
    private static final int SET = 1;
    private static final int LIST = 2;
    private static final int MAP = 3;
    private static final int USER_TYPE = 4;
    private static final int COUNTER = 5;

    private final ToIntFunction<ColumnMetadata> ids;

    /** @param ids the engine's ids of columns; 0 for one that it lacks */
    ResultColumns(ToIntFunction<ColumnMetadata> ids)
    {
        this.ids = ids;
    }

    void writeSelected(SelectStatement statement, ByteBuf out)
    {
        List<ColumnMetadata> columns = statement.getSelection().getColumns();
        // there are more columns than the client sees if Cassandra sorts the rows afterwards
        refuseIf(columns.size() != statement.getResultMetadata().getColumnCount(), RecipeRefusal.COMPUTED);
        RecipeWriter.writeCount(columns.size(), out);
        for (ColumnMetadata column : columns)
            write(column, out);
    }

    private void write(ColumnMetadata column, ByteBuf out)
    {
        switch (column.kind)
        {
            case PARTITION_KEY:
                out.writeByte(PARTITION_KEY).writeShort(column.position());
                return;
            case CLUSTERING:
                out.writeByte(CLUSTERING).writeShort(column.position());
                return;
            case REGULAR:
                out.writeByte(REGULAR);
                break;
            case STATIC:
                out.writeByte(STATIC);
                break;
            default:
                throw new RefusedException(RecipeRefusal.COMPUTED);
        }
        out.writeInt(id(column));
        writeEncoder(column.type, out);
    }

    private static void writeEncoder(AbstractType<?> type, ByteBuf out)
    {
        if (type.isCounter())
            out.writeByte(COUNTER);
        else if (!type.isMultiCell())
            out.writeByte(SIMPLE);
        else if (type instanceof SetType)
            out.writeByte(SET);
        else if (type instanceof ListType)
            out.writeByte(LIST);
        else if (type instanceof MapType)
            out.writeByte(MAP);
        else if (type instanceof UserType)
            out.writeByte(USER_TYPE).writeShort(((UserType) type).size());
        else
            throw new RefusedException(RecipeRefusal.COMPUTED);
    }

    void writeFetched(ColumnFilter filter, ByteBuf out)
    {
        writeIds(filter.fetchedColumns().regulars, out);
        writeIds(filter.fetchedColumns().statics, out);
    }

    private void writeIds(Columns columns, ByteBuf out)
    {
        RecipeWriter.writeCount(columns.size(), out);
        for (ColumnMetadata column : columns)
            out.writeInt(id(column));
    }

    private int id(ColumnMetadata column)
    {
        int id = ids.applyAsInt(column);
        refuseIf(id == 0, RecipeRefusal.SCHEMA_CHANGE);
        return id;
    }
}
