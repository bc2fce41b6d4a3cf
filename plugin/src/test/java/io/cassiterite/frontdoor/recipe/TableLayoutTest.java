/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.CounterColumnType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TriggerMetadata;
import org.apache.cassandra.schema.Triggers;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** F6: what two nodes must have alike before their digests mean the same. */
class TableLayoutTest
{
    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    private static TableMetadata table(AbstractType<?> clustering, AbstractType<?> v, Consumer<TableMetadata.Builder> more)
    {
        TableMetadata.Builder builder = TableMetadata.builder("shop", "orders", TableId.generate())
                                                     .partitioner(Murmur3Partitioner.instance)
                                                     .addPartitionKeyColumn("k", UTF8Type.instance)
                                                     .addClusteringColumn("c", clustering)
                                                     .addStaticColumn("s", UTF8Type.instance)
                                                     .addRegularColumn("v", v);
        more.accept(builder);
        return builder.build();
    }

    private static TableMetadata table(Consumer<TableMetadata.Builder> more)
    {
        return table(Int32Type.instance, Int32Type.instance, more);
    }

    private static byte[] layout(TableMetadata table)
    {
        return TableLayout.of(table, column -> column.isStatic() ? 2 : 1);
    }

    @Test
    void hasTheFormOfTheDocuments()
    {
        ByteBuffer in = ByteBuffer.wrap(layout(table(more -> {})));
        assertEquals(1, in.get());
        assertEquals(1, in.getShort());
        assertEquals(UTF8Type.instance.toString(), text(in));
        assertEquals(1, in.getShort());
        assertEquals(KeyTypes.INT, in.get());
        assertEquals(2, in.getShort());
        assertColumn(in, 2, 1, "s", UTF8Type.instance);
        assertColumn(in, 1, 0, "v", Int32Type.instance);
        assertEquals(0, in.remaining());
    }

    private static void assertColumn(ByteBuffer in, int id, int kind, String name, AbstractType<?> type)
    {
        assertEquals(id, in.getInt());
        assertEquals(kind, in.get());
        assertEquals(name, text(in));
        assertEquals(type.toString(), text(in));
    }

    private static String text(ByteBuffer in)
    {
        byte[] bytes = new byte[in.getShort()];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void tablesOfTheSameColumnsAreAlike()
    {
        assertArrayEquals(layout(table(more -> {})), layout(table(more -> {})));
    }

    @Test
    void otherColumnsTypesOrdersAndNumbersAreNot()
    {
        List<byte[]> layouts = List.of(layout(table(more -> {})),
                                       layout(table(more -> more.addRegularColumn("w", Int32Type.instance))),
                                       layout(table(Int32Type.instance, LongType.instance, more -> {})),
                                       layout(table(LongType.instance, Int32Type.instance, more -> {})),
                                       layout(table(ReversedType.getInstance(Int32Type.instance), Int32Type.instance, more -> {})),
                                       layout(table(Int32Type.instance, ListType.getInstance(Int32Type.instance, true), more -> {})),
                                       layout(table(Int32Type.instance, ListType.getInstance(Int32Type.instance, false), more -> {})),
                                       TableLayout.of(table(more -> {}), column -> column.isStatic() ? 1 : 2));
        assertEquals(layouts.size(), layouts.stream().map(ByteBuffer::wrap).distinct().count());
    }

    @Test
    void tablesWhoseReplicasCannotBeComparedHaveNone()
    {
        assertNotNull(layout(table(more -> {})));
        assertNull(layout(table(more -> more.triggers(Triggers.of(TriggerMetadata.create("t", "C"))))));
        ColumnMetadata dropped = ColumnMetadata.regularColumn("shop", "orders", "v", Int32Type.instance);
        assertNull(layout(table(more -> more.recordColumnDrop(dropped, 5))));
        assertNull(layout(table(ListType.getInstance(Int32Type.instance, false), Int32Type.instance, more -> {})));
        assertNull(TableLayout.of(table(more -> {}), column -> 0));
        TableMetadata counters = TableMetadata.builder("shop", "counts", TableId.generate()).isCounter(true)
                                              .partitioner(Murmur3Partitioner.instance)
                                              .addPartitionKeyColumn("k", UTF8Type.instance)
                                              .addRegularColumn("v", CounterColumnType.instance).build();
        assertNull(layout(counters));
    }
}
