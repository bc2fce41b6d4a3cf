/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

/**
 * The bulk loads of a table. The engine notes before each that the indexes it knows lack entries. A scan that a load
 * overlaps misses rows all the same: of a load that began before the index was made, or of one that goes on behind the
 * scan. Thread-safe.
 */
final class BulkLoads
{
    private int running;
    private long ended;
    /** Where the rows were of those that have ended since {@link #remember}; null: nobody asks. */
    private List<Collection<Range<Token>>> remembered;

    /** {@link #end} must follow. */
    synchronized void begin()
    {
        running++;
    }

    /** Begins unless something holds; whether it has begun, and {@link #end} must follow. */
    synchronized boolean beginUnless(BooleanSupplier holds)
    {
        if (holds.getAsBoolean())
            return false;
        running++;
        return true;
    }

    /** @param ranges where the rows are that may have come */
    synchronized void end(Collection<Range<Token>> ranges)
    {
        running--;
        ended++;
        if (remembered != null)
            remembered.add(ranges);
    }

    /** From now on, for one caller, until {@link #forget}. */
    synchronized void remember()
    {
        remembered = new ArrayList<>();
    }

    synchronized void forget()
    {
        remembered = null;
    }

    /** @return for {@link #ifNoneSince} and {@link #rangesBetween} */
    synchronized long ended()
    {
        return ended;
    }

    synchronized boolean isAnyRunning()
    {
        return running > 0;
    }

    /** Does something while none begins; false, without doing it, if one has run since {@link #ended} said so, or runs. */
    synchronized boolean ifNoneSince(long endedThen, BooleanSupplier action)
    {
        return running == 0 && ended == endedThen && action.getAsBoolean();
    }

    /** Where the rows are of loads that ended between two answers of {@link #ended}, both after {@link #remember}. */
    synchronized List<Range<Token>> rangesBetween(long endedFirst, long endedThen)
    {
        int first = remembered.size() - (int) (ended - endedFirst);
        List<Range<Token>> ranges = new ArrayList<>();
        remembered.subList(first, first + (int) (endedThen - endedFirst)).forEach(ranges::addAll);
        return Range.normalize(ranges);
    }
}
