/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/** The kinds of connections that were there lately. Thread-safe. */
final class Kinds
{
    /** Applications and addresses; one that is forgotten is judged anew. */
    private static final int MOST = 4_096;
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final Cache<List<Object>, Kind> kinds = Caffeine.newBuilder().maximumSize(MOST).expireAfterAccess(KEPT).build();

    /** @param options what the client's STARTUP says: driver, application, and the id of its session */
    Kind of(InetAddress address, Map<String, String> options)
    {
        return kinds.get(List.of(address, options),
                         key -> new Kind(bound -> ThreadLocalRandom.current().nextLong(bound), System::nanoTime));
    }
}
