/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.apache.cassandra.utils.ByteBufferUtil;

/** Makes probes for a statement, the same in each run. */
final class Probes
{
    private static final int TRIES = 1_000;

    private final Random random = new Random(5);
    private final byte[] types;
    private final BitSet limits;
    private final int most;

    /**
     * @param types  of the bind variables
     * @param limits those that must be positive
     */
    Probes(byte[] types, BitSet limits)
    {
        this(types, limits, Integer.MAX_VALUE);
    }

    /** @param most the greatest value of those that must be positive */
    Probes(byte[] types, BitSet limits, int most)
    {
        this.types = types;
        this.limits = limits;
        this.most = most;
    }

    /** Values of one type differ from each other, but for booleans. */
    Probe distinct()
    {
        Set<ByteBuffer> used = new HashSet<>();
        List<ByteBuffer> values = new ArrayList<>();
        for (int bind = 0; bind < types.length; bind++)
        {
            ByteBuffer value = value(bind);
            int tries = 0;
            while (types[bind] != KeyTypes.BOOLEAN && !used.add(value))
            {
                RefusedException.refuseIf(++tries > TRIES, RecipeRefusal.TOO_MANY_VALUES);
                value = value(bind);
            }
            values.add(value);
        }
        return new Probe(values, types);
    }

    /**
     * Values of one type are often equal, and texts and blobs may be empty: what Cassandra does at such values must be
     * what it does at others.
     *
     * @param width  how many values of a type there are
     * @param filled bind variables that must not be empty
     */
    Probe crowded(int width, BitSet filled)
    {
        Map<Integer, ByteBuffer> pool = new HashMap<>();
        List<ByteBuffer> values = new ArrayList<>();
        for (int bind = 0; bind < types.length; bind++)
        {
            int place = types[bind] << 16 | (limits.get(bind) ? 1 << 8 : 0) | random.nextInt(width);
            int owner = bind;
            ByteBuffer value = pool.computeIfAbsent(place, any -> random.nextInt(8) == 0 && KeyTypes.isText(types[owner])
                                                                  ? ByteBufferUtil.EMPTY_BYTE_BUFFER
                                                                  : value(owner));
            values.add(value.hasRemaining() || !filled.get(bind) ? value : value(bind));
        }
        return new Probe(values, types);
    }

    /**
     * One of those with which a recipe is tried that others have led to.
     *
     * @param number of the trial
     * @param width  how many values of a type there are at most, where they are crowded
     * @param filled bind variables that must not be empty
     */
    Probe trial(int number, int width, BitSet filled)
    {
        return number % 4 == 0 ? distinct() : crowded(1 + number % width, filled);
    }

    /** @return the same with some of these null or unset, but not all of them unset: there would be nothing to write */
    Probe lacking(Probe whole, BitSet some)
    {
        Map<Integer, ByteBuffer> absent = new HashMap<>();
        for (int bind = some.nextSetBit(0); bind >= 0; bind = some.nextSetBit(bind + 1))
        {
            int pick = random.nextInt(3);
            if (pick < 2)
                absent.put(bind, pick == 0 || absent.size() + 1 == some.cardinality() ? null : ByteBufferUtil.UNSET_BYTE_BUFFER);
        }
        return whole.with(absent);
    }

    private ByteBuffer value(int bind)
    {
        if (limits.get(bind))
            return ByteBufferUtil.bytes(1 + random.nextInt(most - 1));
        return ProbeValue.random(types[bind], random);
    }
}
