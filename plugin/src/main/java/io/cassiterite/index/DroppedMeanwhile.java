/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Decides what becomes of a build of several indexes that has failed, where some of them may have been dropped. */
final class DroppedMeanwhile
{
    private DroppedMeanwhile()
    {
    }

    /**
     * @param stopped whether somebody has ended the build: nothing begins again then
     * @return the indexes that are left to be built, none if all have been dropped; never all of them
     * @throws RuntimeException the failure, if it is to be told
     */
    static <T> List<T> remaining(List<T> indexes, Predicate<T> isGone, boolean stopped, RuntimeException failure)
    {
        List<T> left = indexes.stream().filter(isGone.negate()).collect(Collectors.toList());
        if (left.size() == indexes.size() || stopped && !left.isEmpty())
            throw failure;
        return left;
    }
}
