/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.Clustering;

/** A range of values of an index. Immutable. */
public final class ValueRange
{
    /** Null if the range is open there. */
    final Clustering<?> from;
    final boolean isFromIncluded;
    /** Null if the range is open there. */
    final Clustering<?> to;
    final boolean isToIncluded;

    public ValueRange(Clustering<?> from, boolean isFromIncluded, Clustering<?> to, boolean isToIncluded)
    {
        this.from = from;
        this.isFromIncluded = isFromIncluded;
        this.to = to;
        this.isToIncluded = isToIncluded;
    }
}
