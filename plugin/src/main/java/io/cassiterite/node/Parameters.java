/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.cassiterite.engine.Store;

/**
 * The parameters of a memtable configuration as texts, which the engine takes. Cassandra says that they are texts, and
 * passes on what YAML makes of them: numbers, lists, nothing, and of a bare {@code off} the boolean false.
 */
public final class Parameters
{
    private static final String OF_NODE = "node.";
    private static final Set<String> PATHS = Set.of(Store.DIRECTORY, "wal_directory");

    private Parameters()
    {
    }

    /**
     * @param given of cassandra.yaml; may be null
     * @throws IllegalArgumentException with what to do, if one of them is not one text, or no absolute path where it is to be
     */
    public static Map<String, String> of(Map<?, ?> given)
    {
        Map<String, String> parameters = new HashMap<>();
        if (given != null)
            given.forEach((name, value) -> parameters.put(name(name), text(name(name), value)));
        return parameters;
    }

    private static String name(Object name)
    {
        String text = String.valueOf(name).trim();
        if (text.startsWith(OF_NODE))
            throw refusal("parameter %s is taken from the node's own settings: set %s there, and leave the parameter out",
                          text, text.substring(OF_NODE.length()));
        return text;
    }

    private static String text(String name, Object value)
    {
        if (value instanceof Collection || value instanceof Map)
            throw refusal("parameter %s=%s is not possible, it is one value: no list, and no map", name, value);
        String text = value instanceof Boolean ? (Boolean) value ? "on" : "off" : value == null ? "" : value.toString().trim();
        if (text.isEmpty())
            throw refusal("parameter %s has no value: give it one, or leave it out", name);
        if (text.lines().count() > 1)
            throw refusal("parameter %s has more than one line: write one", name);
        if (PATHS.contains(name))
            checkPath(name, text);
        return text;
    }

    private static void checkPath(String name, String text)
    {
        try
        {
            Path path = Path.of(text);
            if (!path.isAbsolute())
                throw refusal("parameter %s=%s is not possible, it is: absolute path; write %s if you mean that",
                              name, text, path.toAbsolutePath().normalize());
        }
        catch (InvalidPathException e)
        {
            throw refusal("parameter %s is not possible, it is: absolute path; %s", name, e.getReason());
        }
    }

    private static IllegalArgumentException refusal(String format, Object... arguments)
    {
        return new IllegalArgumentException(String.format(format, arguments));
    }
}
