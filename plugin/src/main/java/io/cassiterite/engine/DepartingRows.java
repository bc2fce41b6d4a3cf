/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rows of a table that leave it while it takes writes: what it has at one point in time, to be copied elsewhere and then
 * forgotten at once. Thread-safe; errors are those of {@link Native}.
 */
public final class DepartingRows
{
    private final Table table;

    public DepartingRows(Table table)
    {
        this.table = table;
    }

    /** @see Native#tableBeginDeparture */
    public long begin(long baseBytesMax)
    {
        try
        {
            return Native.tableBeginDeparture(table.handle(), baseBytesMax);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, table);
        }
    }

    /** @see Native#tableForgetDeparted */
    public void forget()
    {
        try
        {
            Native.tableForgetDeparted(table.handle());
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, table);
        }
    }

    /** @see Native#tableEndDeparture */
    public void end()
    {
        Native.tableEndDeparture(table.handle());
    }

    /** The numbers of the families beside the base, in which all that departs is. */
    public Set<Long> familiesBeside()
    {
        return families(1);
    }

    /** @return true if all families of these numbers are still there, and nothing of what was in them has been forgotten */
    public boolean hasAll(Set<Long> families)
    {
        if (families.isEmpty())
            throw new IllegalArgumentException("no families");
        return families(0).containsAll(families);
    }

    private Set<Long> families(int from)
    {
        return Arrays.stream(Native.tableFamilies(table.handle())).skip(from).boxed().collect(Collectors.toSet());
    }

    /** What takes the writes, in bytes, about; the rest is {@link #besideBytes}. */
    public long baseBytes()
    {
        return figures()[0];
    }

    /** What departs, or has come by a stream, in bytes, about; 0 if there is none. */
    public long besideBytes()
    {
        return figures()[1];
    }

    private long[] figures()
    {
        long[] figures = new long[2];
        Native.tableFamilyBytes(table.handle(), figures);
        return figures;
    }
}
