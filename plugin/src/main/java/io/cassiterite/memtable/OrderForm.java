/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.marshal.TupleType;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.db.marshal.VectorType;
import org.apache.cassandra.serializers.CollectionSerializer;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

/**
 * The byte-comparable form of one value, which agrees with its type's comparator: equal values have equal forms, others
 * sort by them. Cassandra's own form ({@link AbstractType#asComparableBytes}) differs in two cases, corrected here. It
 * takes an empty field of a tuple for a null one. It takes NaNs of different bits, which are equal, for different
 * numbers.
 */
final class OrderForm
{
    private static final ByteBuffer FLOAT_NAN = FloatType.instance.decompose(Float.NaN);
    private static final ByteBuffer DOUBLE_NAN = DoubleType.instance.decompose(Double.NaN);

    private OrderForm()
    {
    }

    /** @return null for an empty value, unless the type has a form of it */
    static <V> ByteSource of(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        if (type.isReversed())
            return inverted(of(type.unwrap(), accessor, value));
        List<V> parts = parts(type, accessor, value);
        if (parts != null)
            return parts.isEmpty() && accessor.isEmpty(value) ? null : sequence(types(type), accessor, parts);
        if (type == DoubleType.instance && !accessor.isEmpty(value) && Double.isNaN(accessor.toDouble(value)))
            return form(type, ByteBufferAccessor.instance, DOUBLE_NAN.duplicate());
        if (type == FloatType.instance && !accessor.isEmpty(value) && Float.isNaN(accessor.toFloat(value)))
            return form(type, ByteBufferAccessor.instance, FLOAT_NAN.duplicate());
        return form(type, accessor, value);
    }

    private static <V> ByteSource form(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        return type.asComparableBytes(accessor, value, KeyEncoder.VERSION);
    }

    private static ByteSource inverted(ByteSource source)
    {
        if (source == null)
            return null;
        return () ->
        {
            int next = source.next();
            return next == ByteSource.END_OF_STREAM ? next : next ^ 0xFF;
        };
    }

    /** The parts of a value, null for a null part; null if its type has no parts. */
    private static <V> List<V> parts(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        if (type instanceof TupleType)
            return fields((TupleType) type, accessor, value);
        if (type instanceof ListType || type instanceof SetType)
            return elements(accessor, value, 1);
        if (type instanceof MapType)
            return elements(accessor, value, 2);
        if (type instanceof VectorType)
            return accessor.isEmpty(value) ? List.of() : ((VectorType<?>) type).split(value, accessor);
        return null;
    }

    /** The types of the parts, which begin again where they end. */
    private static List<AbstractType<?>> types(AbstractType<?> type)
    {
        if (type instanceof TupleType)
            return ((TupleType) type).allTypes();
        if (type instanceof VectorType)
            return List.of(((VectorType<?>) type).elementType);
        if (type instanceof MapType)
            return List.of(((MapType<?, ?>) type).getKeysType(), ((MapType<?, ?>) type).getValuesType());
        return List.of(type instanceof ListType ? ((ListType<?>) type).getElementsType() : ((SetType<?>) type).getElementsType());
    }

    /** Without the nulls at the end, which are the same as fields that are missing. */
    private static <V> List<V> fields(TupleType type, ValueAccessor<V> accessor, V value)
    {
        if (accessor.isEmpty(value))
            return List.of();
        List<V> fields = Arrays.asList(type.split(accessor, value));
        int size = fields.size();
        while (size > 0 && fields.get(size - 1) == null)
            size--;
        return fields.subList(0, size);
    }

    private static <V> List<V> elements(ValueAccessor<V> accessor, V value, int each)
    {
        if (accessor.isEmpty(value))
            return List.of();
        int size = each * CollectionSerializer.readCollectionSize(value, accessor);
        int offset = CollectionSerializer.sizeOfCollectionSize();
        List<V> elements = new ArrayList<>(size);
        for (int i = 0; i < size; i++)
        {
            V element = CollectionSerializer.readValue(value, accessor, offset);
            offset += CollectionSerializer.sizeOfValue(element, accessor);
            elements.add(element);
        }
        return elements;
    }

    private static <V> ByteSource sequence(List<AbstractType<?>> types, ValueAccessor<V> accessor, List<V> parts)
    {
        ByteSource[] sources = new ByteSource[parts.size()];
        int[] separators = new int[parts.size()];
        for (int i = 0; i < sources.length; i++)
        {
            V part = parts.get(i);
            sources[i] = part == null ? null : of(types.get(i % types.size()), accessor, part);
            separators[i] = separator(part == null, sources[i]);
        }
        return new Sequence(sources, separators);
    }

    private static int separator(boolean isNull, ByteSource source)
    {
        if (isNull)
            return ByteSource.NEXT_COMPONENT_NULL;
        return source == null ? ByteSource.NEXT_COMPONENT_EMPTY : ByteSource.NEXT_COMPONENT;
    }

    /** Components, each behind its separator, and the terminator. */
    private static final class Sequence implements ByteSource
    {
        private final ByteSource[] sources;
        private final int[] separators;
        private int at = -1;

        private Sequence(ByteSource[] sources, int[] separators)
        {
            this.sources = sources;
            this.separators = separators;
        }

        @Override
        public int next()
        {
            if (at >= 0 && at < sources.length && sources[at] != null)
            {
                int next = sources[at].next();
                if (next != END_OF_STREAM)
                    return next;
            }
            if (at <= sources.length)
                at++;
            if (at < sources.length)
                return separators[at];
            return at == sources.length ? TERMINATOR : END_OF_STREAM;
        }
    }
}
