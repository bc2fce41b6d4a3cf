/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Arrays;
import java.util.stream.Collectors;

import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.utils.ByteBufferUtil;

/** Bytes that a client gives as a part of a tuple of columns: Cassandra does not check them. */
public final class UncheckedBytes
{
    private UncheckedBytes()
    {
    }

    /**
     * Whether the form of these bytes is where Cassandra's comparator has them. A decimal without digits is a value that
     * it fails on; without assertions, it does not fail on a UUID of too few bytes.
     */
    public static <V> boolean havePosition(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        return !OrderForm.hasNoValue(OrderForm.formOrNoValue(type, accessor, value))
               && (areComparable(type, accessor, value) || areValid(type, accessor, value));
    }

    public static <V> boolean areComparable(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        try
        {
            return type.compare(value, accessor, value, accessor) == 0;
        }
        catch (RuntimeException | AssertionError e)
        {
            return false;
        }
    }

    static <V> boolean areValid(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        try
        {
            type.validate(value, accessor);
            return true;
        }
        catch (RuntimeException | AssertionError e)
        {
            return false;
        }
    }

    /** Of a replica; coordinators with the plug-in refuse what would need it. Cassandra's comparators fail on such bytes. */
    static InvalidRequestException refuse(ClusteringPrefix<?> prefix)
    {
        String hex = Arrays.stream(prefix.getBufferArray()).map(ByteBufferUtil::bytesToHex).collect(Collectors.joining(", 0x"));
        return new InvalidRequestException("Of the values 0x" + hex + " for clustering columns, one is no value of its column's type");
    }
}
