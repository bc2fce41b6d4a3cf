/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.HashMap;
import java.util.Map;

/**
 * The parameter {@code commit_log} of a memtable configuration: whether the writes to its tables go to Cassandra's commit log,
 * too, for CDC, archives and restores to a point in time. It belongs to the configuration, and not to the node's one store, so
 * configurations may differ in it. Pure functions.
 */
public final class CommitLogParameter
{
    public static final String NAME = "commit_log";
    private static final String ON = "on";
    private static final String OFF = "off";

    private CommitLogParameter()
    {
    }

    /**
     * @param parameters of a configuration, as {@link Parameters#of} gives them
     * @throws IllegalArgumentException with what to do, if the value is another one
     */
    public static boolean isOn(Map<String, String> parameters)
    {
        String value = parameters.getOrDefault(NAME, OFF);
        switch (value)
        {
            case ON:
            case "true":
                return true;
            case OFF:
            case "false":
                return false;
            default:
                throw new IllegalArgumentException(String.format("parameter %s=%s is not possible, it is: true or false", NAME, value));
        }
    }

    /** @return the parameters of the store, of which all configurations must have the same */
    public static Map<String, String> without(Map<String, String> parameters)
    {
        Map<String, String> ofStore = new HashMap<>(parameters);
        ofStore.remove(NAME);
        return ofStore;
    }
}
