/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ValueAccessor;

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
}
