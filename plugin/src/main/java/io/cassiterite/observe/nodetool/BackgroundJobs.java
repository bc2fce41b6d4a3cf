/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

/** How many background jobs the engine needs to run so many compactions at the same time: a quarter of them flushes. */
final class BackgroundJobs
{
    private static final int LEAST = 2;
    private static final int MOST = 64;

    private BackgroundJobs()
    {
    }

    /** @return a value of the parameter background_jobs */
    static int forCompactions(int compactions)
    {
        int jobs = LEAST;
        while (jobs < MOST && jobs - Math.max(1, jobs / 4) < compactions)
            jobs++;
        return jobs;
    }
}
