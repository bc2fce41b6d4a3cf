/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.db.ConsistencyLevel;

/** One value for each bind variable of a statement; null, or Cassandra's buffer for what is unset. Immutable by convention. */
final class Probe
{
    final List<ByteBuffer> values;
    private final byte[] types;

    Probe(List<ByteBuffer> values, byte[] types)
    {
        this.values = values;
        this.types = types;
    }

    /** @param absent null, or the buffer for what is unset, in the place of some values; no entry for the others */
    Probe with(Map<Integer, ByteBuffer> absent)
    {
        List<ByteBuffer> others = new ArrayList<>(values);
        absent.forEach(others::set);
        return new Probe(others, types);
    }

    QueryOptions options()
    {
        return QueryOptions.forInternalCalls(ConsistencyLevel.ONE, values);
    }

    /** The bind variables of this type that have this value. */
    BitSet binds(byte type, ByteBuffer value)
    {
        BitSet binds = new BitSet();
        for (int i = 0; i < types.length; i++)
            if (types[i] == type && values.get(i).equals(value))
                binds.set(i);
        return binds;
    }
}
