/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.apache.cassandra.db.DecoratedKey;

import io.cassiterite.memtable.IndexKeys;

/** Slices of an index's entries of one value: pairs of positions, in the order of keys. */
final class EntrySlices
{
    private EntrySlices()
    {
    }

    /**
     * From a position in a partition on. Of the partitions that share half a token, others with a larger token may come
     * before it: so they are all there.
     */
    static List<byte[]> from(IndexKeys keys, DecoratedKey key, byte[] position)
    {
        return List.of(IndexKeys.from(key.getToken()), keys.before(key, null), position, IndexKeys.last());
    }

    /** All entries of a partition. */
    static List<byte[]> of(IndexKeys keys, DecoratedKey key)
    {
        byte[] before = keys.before(key, null);
        return List.of(before, IndexKeys.after(before));
    }

    /** The entries after each of these positions, as far as they belong to it. */
    static List<byte[]> of(Collection<byte[]> positions)
    {
        byte[][] sorted = positions.toArray(new byte[0][]);
        Arrays.sort(sorted, Arrays::compareUnsigned);
        List<byte[]> slices = new ArrayList<>(2 * sorted.length);
        for (int i = 0; i < sorted.length; i++)
        {
            if (i > 0 && Arrays.equals(sorted[i], sorted[i - 1]))
                continue;
            slices.add(sorted[i]);
            slices.add(IndexKeys.after(sorted[i]));
        }
        return slices;
    }

    /** What is in both. */
    static List<byte[]> intersect(List<byte[]> left, List<byte[]> right)
    {
        List<byte[]> both = new ArrayList<>();
        int l = 0;
        int r = 0;
        while (l < left.size() && r < right.size())
        {
            byte[] start = larger(left.get(l), right.get(r));
            boolean leftEndsFirst = Arrays.compareUnsigned(left.get(l + 1), right.get(r + 1)) < 0;
            byte[] end = leftEndsFirst ? left.get(l + 1) : right.get(r + 1);
            if (Arrays.compareUnsigned(start, end) < 0)
            {
                both.add(start);
                both.add(end);
            }
            if (leftEndsFirst)
                l += 2;
            else
                r += 2;
        }
        return both;
    }

    private static byte[] larger(byte[] left, byte[] right)
    {
        return Arrays.compareUnsigned(left, right) < 0 ? right : left;
    }
}
