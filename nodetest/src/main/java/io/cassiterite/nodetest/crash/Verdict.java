/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.util.ArrayList;
import java.util.List;

/** The findings of the checks after the crashes. One thread. */
public final class Verdict
{
    private final List<String> losses = new ArrayList<>();
    private int halfPairs;
    private long nativeAnswers;
    private long nativeWrites;

    void lost(String what)
    {
        losses.add(what);
    }

    /** Takes down what a native answer shows otherwise. */
    void compare(String what, Object expected, Object found)
    {
        if (!expected.equals(found))
            lost(what + ": expected " + expected + ", found " + found);
    }

    void nativeAnswers(long count)
    {
        nativeAnswers += count;
    }

    void nativeWrites(long count)
    {
        nativeWrites += count;
    }

    void halfPair()
    {
        halfPairs++;
    }

    /** @return everything that was not as acknowledged: lost, back from deletion, or written by halves */
    public List<String> losses()
    {
        return losses;
    }

    /** @return answers of the front door's own with which rows were checked */
    public long nativeAnswers()
    {
        return nativeAnswers;
    }

    /** @return writes of the front door's own, until shortly before the kills */
    public long nativeWrites()
    {
        return nativeWrites;
    }

    /** @return unacknowledged batches over two tables of which one table had its part */
    public int halfPairs()
    {
        return halfPairs;
    }
}
