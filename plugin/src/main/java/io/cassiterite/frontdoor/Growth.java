/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.function.LongPredicate;

/** Tells of a count that only grows, where it has grown since it was told of. For one thread. */
final class Growth
{
    private final LongPredicate teller;
    private long told;

    /** @param teller false if it has not told of the count, and is to be asked again */
    Growth(LongPredicate teller)
    {
        this.teller = teller;
    }

    void see(long count)
    {
        if (count > told && teller.test(count))
            told = count;
    }
}
