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
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.marshal.TupleType;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.db.marshal.VectorType;
import org.apache.cassandra.serializers.CollectionSerializer;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT_EMPTY;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT_EMPTY_REVERSED;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT_NULL;

/**
 * The byte-comparable form of one value, which agrees with its type's comparator: equal values have equal forms, others
 * sort by them. Every value has one that Cassandra's checks let through. Cassandra's own form
 * ({@link AbstractType#asComparableBytes}) differs in three cases, corrected here and in {@link NumberForm}. It takes an
 * empty field of a tuple for a null one. It has no form of a collection with a count below zero, which passes the checks
 * like an empty one.
 */
final class OrderForm
{
    /** Before the count of a collection below zero; an empty collection's form begins with a larger byte. */
    private static final int NEGATIVE_COUNT = 0x20;
    /** Before each element of a collection. */
    private static final int LENGTH_BYTES = Integer.BYTES;
    /** Before bytes that are no value of their type: they have not passed Cassandra's checks, or its comparator fails on them. */
    private static final int NO_VALUE = 0x42;

    private OrderForm()
    {
    }

    /** @return null for an empty value, unless the type has a form of it */
    static <V> ByteSource of(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        ByteSource form = formOrNoValue(type, accessor, value);
        if (form instanceof NoValue)
            throw new IllegalArgumentException(String.format("0x%s is no value of %s", accessor.toHex(value), type.asCQL3Type()));
        return form;
    }

    /** The separator of a component, or part, with this form; its form follows unless it is null. */
    static int separator(AbstractType<?> type, ByteSource form)
    {
        if (form == null)
            return type.isReversed() ? NEXT_COMPONENT_EMPTY_REVERSED : NEXT_COMPONENT_EMPTY;
        return form instanceof NoValue ? NO_VALUE : NEXT_COMPONENT;
    }

    /** The form, or that of bytes which are no value: in a bound that a client gives as a tuple, Cassandra checks nothing. */
    static <V> ByteSource formOrNoValue(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        try
        {
            return form(type, accessor, value);
        }
        catch (RuntimeException | AssertionError e)
        {
            if (UncheckedBytes.areValid(type, accessor, value) && UncheckedBytes.areComparable(type, accessor, value))
                throw e;
            return new NoValue(ByteSource.of(accessor, value, KeyEncoder.VERSION));
        }
    }

    /** @param form as {@link #formOrNoValue} gives it */
    static boolean hasNoValue(ByteSource form)
    {
        return form instanceof NoValue
               || form instanceof Sequence && ((Sequence) form).hasNoValue
               || form instanceof Inverted && hasNoValue(((Inverted) form).source);
    }

    private static <V> ByteSource form(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        if (type.isReversed())
            return inverted(form(type.unwrap(), accessor, value));
        if (isNegative(type, accessor, value))
            return negativeCount(CollectionSerializer.readCollectionSize(value, accessor));
        List<V> parts = parts(type, accessor, value);
        if (parts != null)
            return parts.isEmpty() && accessor.isEmpty(value) ? null : new Sequence(types(type), accessor, parts);
        V read = FixedWidth.read(type, accessor, value);
        ByteSource form = FixedWidth.form(type, accessor, read);
        if (form == null)
            form = NumberForm.of(type, accessor, read);
        return form == null ? type.asComparableBytes(accessor, read, KeyEncoder.VERSION) : form;
    }

    private static ByteSource inverted(ByteSource source)
    {
        return source == null ? null : new Inverted(source);
    }

    private static <V> boolean isNegative(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        return type.isCollection() && !accessor.isEmpty(value) && CollectionSerializer.readCollectionSize(value, accessor) < 0;
    }

    /** Cassandra compares collections without common elements by their counts. */
    private static ByteSource negativeCount(int count)
    {
        return ByteSource.fixedLength(ByteBuffer.allocate(1 + Integer.BYTES).put((byte) NEGATIVE_COUNT).putInt(count).array());
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

    /** A count is believed as far as there are bytes for it. */
    private static <V> List<V> elements(ValueAccessor<V> accessor, V value, int each)
    {
        if (accessor.isEmpty(value))
            return List.of();
        long size = (long) each * CollectionSerializer.readCollectionSize(value, accessor);
        int offset = CollectionSerializer.sizeOfCollectionSize();
        List<V> elements = new ArrayList<>((int) Math.min(size, accessor.sizeFromOffset(value, offset) / LENGTH_BYTES));
        for (long i = 0; i < size; i++)
        {
            V element = CollectionSerializer.readValue(value, accessor, offset);
            offset += CollectionSerializer.sizeOfValue(element, accessor);
            elements.add(element);
        }
        return elements;
    }

    /** The form of a value of a column that sorts the other way round. */
    private static final class Inverted implements ByteSource
    {
        private final ByteSource source;

        private Inverted(ByteSource source)
        {
            this.source = source;
        }

        @Override
        public int next()
        {
            int next = source.next();
            return next == END_OF_STREAM ? next : next ^ 0xFF;
        }
    }

    /** The form of bytes that are no value. */
    private static final class NoValue implements ByteSource
    {
        private final ByteSource escaped;

        private NoValue(ByteSource escaped)
        {
            this.escaped = escaped;
        }

        @Override
        public int next()
        {
            return escaped.next();
        }
    }

    /** Parts, each behind its separator, and the terminator. */
    private static final class Sequence implements ByteSource
    {
        private final ByteSource[] sources;
        private final int[] separators;
        private final boolean hasNoValue;
        private int at = -1;

        private <V> Sequence(List<AbstractType<?>> types, ValueAccessor<V> accessor, List<V> parts)
        {
            sources = new ByteSource[parts.size()];
            separators = new int[sources.length];
            boolean without = false;
            for (int i = 0; i < sources.length; i++)
            {
                V part = parts.get(i);
                AbstractType<?> type = types.get(i % types.size());
                sources[i] = part == null ? null : formOrNoValue(type, accessor, part);
                separators[i] = part == null ? NEXT_COMPONENT_NULL : separator(type, sources[i]);
                without |= hasNoValue(sources[i]);
            }
            hasNoValue = without;
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
