/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.charset.StandardCharsets;
import java.util.function.ToIntFunction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

import static io.cassiterite.frontdoor.recipe.RefusedException.refuseIf;

/** What of a table's columns two nodes must have alike, so that a read means the same on both (docs/internals/formats.md). */
public final class TableLayout
{
    private static final int VERSION = 1;
    private static final int DESCENDING = 0x80;
    private static final int REGULAR = 0;
    private static final int STATIC = 1;

    private TableLayout()
    {
    }

    /**
     * @param ids the engine's ids of columns; 0 for one that it lacks
     * @return null if the replicas of the table cannot be compared natively: no statement of it has a recipe, or it has
     *         counters, whose shards differ between replicas that agree
     */
    public static byte[] of(TableMetadata table, ToIntFunction<ColumnMetadata> ids)
    {
        try
        {
            StatementRules.checkTable(table);
            return table.isCounter() ? null : write(table, ids);
        }
        catch (RefusedException e)
        {
            return null;
        }
    }

    private static byte[] write(TableMetadata table, ToIntFunction<ColumnMetadata> ids)
    {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(VERSION);
        RecipeWriter.writeCount(table.partitionKeyColumns().size(), out);
        for (ColumnMetadata column : table.partitionKeyColumns())
            writeText(column.type.toString(), out);
        RecipeWriter.writeCount(table.clusteringColumns().size(), out);
        for (ColumnMetadata column : table.clusteringColumns())
            out.writeByte(KeyTypes.code(column.type, RecipeRefusal.KEY_TYPE) | (column.type.isReversed() ? DESCENDING : 0));
        RecipeWriter.writeCount(table.regularAndStaticColumns().size(), out);
        for (ColumnMetadata column : table.regularAndStaticColumns())
            writeColumn(column, ids.applyAsInt(column), out);
        return ByteBufUtil.getBytes(out);
    }

    private static void writeColumn(ColumnMetadata column, int id, ByteBuf out)
    {
        refuseIf(id == 0, RecipeRefusal.SCHEMA_CHANGE);
        out.writeInt(id).writeByte(column.isStatic() ? STATIC : REGULAR);
        writeText(column.name.toString(), out);
        writeText(column.type.toString(), out);
    }

    private static void writeText(String text, ByteBuf out)
    {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        RecipeWriter.writeCount(bytes.length, out);
        out.writeBytes(bytes);
    }
}
