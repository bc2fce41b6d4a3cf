/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.Comparator;

import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

/**
 * All that the engine had in a token range when the view was opened that this is from, tombstones included, in token order.
 * The engine has a cursor for it while it is being read. For one thread at a time.
 */
final class RangeCursor implements AutoCloseable
{
    static final Comparator<RangeCursor> BY_TOKEN = Comparator.comparing(cursor -> cursor.range.left);

    private final Range<Token> range;
    private final UnfilteredPartitionIterator partitions;
    private final Runnable atEnd;
    private boolean closed;

    /**
     * @param range must not wrap around
     * @param atEnd is run when this is closed for the first time
     */
    RangeCursor(Range<Token> range, UnfilteredPartitionIterator partitions, Runnable atEnd)
    {
        this.range = range;
        this.partitions = partitions;
        this.atEnd = atEnd;
    }

    Range<Token> range()
    {
        return range;
    }

    boolean hasNext()
    {
        return partitions.hasNext();
    }

    UnfilteredRowIterator next()
    {
        return partitions.next();
    }

    /** How much of the range lies before a token in it, from 0 to 1. */
    double share(Token token)
    {
        return range.left.size(token) / range.left.size(range.right);
    }

    @Override
    public void close()
    {
        if (closed)
            return;
        closed = true;
        try
        {
            partitions.close();
        }
        finally
        {
            atEnd.run();
        }
    }
}
