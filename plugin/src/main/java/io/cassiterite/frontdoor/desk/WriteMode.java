/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Locale;
import java.util.stream.Stream;

/** What becomes of writes by prepared statements. */
public enum WriteMode
{
    /** Cassandra does them. */
    OFF,
    /** The door does those of rows that have one replica. */
    ON,
    /** The door does those of rows with several replicas, too, together with the doors of these. */
    REPLICATED;

    /** @return as it is configured */
    public String parameter()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is no such mode */
    public static WriteMode named(String parameter)
    {
        return Stream.of(values()).filter(mode -> mode.parameter().equals(parameter)).findFirst()
                     .orElseThrow(() -> new IllegalArgumentException("front_door_writes is not " + parameter));
    }
}
