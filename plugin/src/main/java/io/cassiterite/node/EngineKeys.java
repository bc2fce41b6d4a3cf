/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The memtable keys of cassandra.yaml that a node maps to the engine, as gossip has them: {@code keys/1:KEY,KEY}, each
 * percent-encoded. A node may run the plug-in and keep the tables of a key in sstables.
 */
final class EngineKeys
{
    private static final String PREFIX = "keys/1:";

    private EngineKeys()
    {
    }

    static String encode(Collection<String> keys)
    {
        return new TreeSet<>(keys).stream().map(key -> URLEncoder.encode(key, StandardCharsets.UTF_8))
                                  .collect(Collectors.joining(",", PREFIX, ""));
    }

    /** @return no keys if other software uses the state, or a later version does */
    static Set<String> decode(String published)
    {
        Set<String> keys = new TreeSet<>();
        if (!published.startsWith(PREFIX))
            return keys;
        try
        {
            for (String key : published.substring(PREFIX.length()).split(","))
                if (!key.isEmpty())
                    keys.add(URLDecoder.decode(key, StandardCharsets.UTF_8));
            return keys;
        }
        catch (IllegalArgumentException e)
        {
            return Set.of();
        }
    }
}
