/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Arrays;
import java.util.Locale;

/** What becomes of reads that need several replicas. */
public enum QuorumReads
{
    /** Cassandra has them all. */
    OFF,
    /** The doors of other replicas are asked, and Cassandra answers: what both say is compared. */
    COMPARE,
    /** The door answers where the replicas have the same. */
    ON;

    /** @return as in the memtable configuration */
    public String parameter()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is none of that name */
    public static QuorumReads named(String parameter)
    {
        return Arrays.stream(values()).filter(mode -> mode.parameter().equals(parameter)).findFirst()
                     .orElseThrow(() -> new IllegalArgumentException("front_door_quorum_reads is not " + parameter));
    }
}
