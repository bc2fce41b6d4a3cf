/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

/** Which of the processes that run tests side by side this one is. */
final class Fork
{
    private static final int NUMBER = Integer.getInteger("cassiterite.fork", 0);

    private Fork()
    {
    }

    /** @return from 1; 0 where no tests run */
    static int number()
    {
        return NUMBER;
    }
}
