/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.context.CounterContext;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.CounterId;

import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineTestAccess;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * The objects that each thread reuses for its next row do not reference the last one: neither its values nor its
 * table's schema.
 */
class ReusedObjectsTest
{
    private final FragmentWriter writer = new FragmentWriter();
    private final DirectOutput out = new DirectOutput();

    @BeforeContainer
    static void initialize()
    {
        TestNode.initialize();
    }

    @Property(tries = 200)
    void aWriterReferencesNoUpdate(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        RandomUpdates updates = new RandomUpdates(random, new RandomRow(random, metadata), metadata);
        writer.write(out.clear(), updates.next(), columns(metadata));
        assertReferencesNothing(writer);
    }

    @Property(tries = 200)
    void neitherWriterNorReaderReferencesARow(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        RandomRow rows = new RandomRow(random, metadata);
        boolean isStatic = random.nextInt(4) == 0 && !metadata.staticColumns().isEmpty();
        Row row = rows.row(isStatic ? Clustering.STATIC_CLUSTERING : rows.clustering());
        boolean something = writer.writeRow(out.clear(), row, columns(metadata));
        assertReferencesNothing(writer);
        if (!something)
            return;
        byte[] bytes = out.copyFrom(0);
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        FragmentReader.local().read(in, 0, bytes.length, columns(metadata), null, isStatic);
        assertReferencesNothing(FragmentReader.local());
    }

    @Property(tries = 20)
    void aWriterReferencesNoRowThatItRefused(@ForAll long count)
    {
        TableMetadata metadata = RandomTable.counters(new Random(count));
        ColumnMetadata column = metadata.getColumn(ByteBufferUtil.bytes("a"));
        ByteBuffer legacy = CounterContext.instance().createRemote(CounterId.fromInt(1), 1, count);
        Row row = BTreeRow.singleCellRow(new RandomRow(new Random(count), metadata).clustering(), BufferCell.live(column, 1, legacy));
        assertThrows(UnsupportedOperationException.class, () -> writer.writeRow(out.clear(), row, columns(metadata)));
        assertReferencesNothing(writer);
    }

    private static Columns columns(TableMetadata metadata)
    {
        return new Columns(metadata, EngineTestAccess.columnIds(metadata, null));
    }

    private static void assertReferencesNothing(Object reused)
    {
        assertEquals(Set.of(), referenced(reused));
    }

    /** The classes of what an object reaches, apart from the plug-in's own and numbers. */
    private static Set<String> referenced(Object root)
    {
        Set<String> found = new TreeSet<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> left = new ArrayDeque<>(List.of(root));
        while (!left.isEmpty())
        {
            Object object = left.pop();
            if (!seen.add(object))
                continue;
            if (object instanceof Object[])
                for (Object element : (Object[]) object)
                    push(left, element);
            else if (object.getClass().getName().startsWith("io.cassiterite."))
                references(object.getClass(), object, left);
            else if (!object.getClass().isArray())
                found.add(object.getClass().getName());
        }
        return found;
    }

    private static void references(Class<?> type, Object object, Deque<Object> into)
    {
        for (Class<?> c = type; c != null; c = c.getSuperclass())
            for (Field field : c.getDeclaredFields())
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive())
                    push(into, value(field, object));
    }

    private static Object value(Field field, Object object)
    {
        try
        {
            field.setAccessible(true);
            return field.get(object);
        }
        catch (IllegalAccessException e)
        {
            throw new AssertionError(e);
        }
    }

    private static void push(Deque<Object> into, Object object)
    {
        if (object != null)
            into.push(object);
    }
}
