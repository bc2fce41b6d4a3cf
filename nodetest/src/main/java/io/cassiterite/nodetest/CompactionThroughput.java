/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.time.Duration;

/** The limit of compactions, which the engine takes over from Cassandra once a second. */
public final class CompactionThroughput
{
    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final String SETTING = "SELECT value FROM cassiterite.settings WHERE name = 'compaction_rate_limit'";

    private CompactionThroughput()
    {
    }

    /**
     * Returns once the engine has it.
     *
     * @param cql connected to the node
     * @param mebibytesPerSecond 0 for no limit
     */
    public static void set(Node node, Cql cql, int mebibytesPerSecond)
    {
        node.nodetool("setcompactionthroughput", Integer.toString(mebibytesPerSecond)).success();
        String limit = mebibytesPerSecond == 0 ? "0B/s" : mebibytesPerSecond + "MiB/s";
        Await.until("the engine follows", BOUND, () -> cql.localRows(SETTING).get(0).getString("value").equals(limit));
    }
}
