/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.Arrays;
import java.util.Locale;

/** Who accepts CQL clients, and who answers them. */
public enum FrontDoorMode
{
    OFF("off: Netty accepts clients"),
    PROXY("proxy: native threads accept clients, and pass everything on to Cassandra"),
    READS("reads: native threads accept clients, answer prepared reads where this node alone may, and pass the rest on to Cassandra");

    private final String description;

    FrontDoorMode(String description)
    {
        this.description = description;
    }

    /** @return for people */
    public String description()
    {
        return description;
    }

    /** @return as in the memtable configuration */
    public String parameter()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is none of that name */
    public static FrontDoorMode named(String parameter)
    {
        return Arrays.stream(values()).filter(mode -> mode.parameter().equals(parameter)).findFirst()
                     .orElseThrow(() -> new IllegalArgumentException("front_door is not " + parameter));
    }
}
