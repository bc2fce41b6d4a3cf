/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.nio.charset.StandardCharsets;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import io.cassiterite.SpoiltBytes;

/** Whatever a peer publishes by gossip, no exception is thrown. */
class PluginGossipProperties
{
    @Property(tries = 2000)
    void aVersionIsUnderstoodOrIgnored(@ForAll long seed)
    {
        byte[] published = SpoiltBytes.of(PluginGossip.VALUE.getBytes(StandardCharsets.UTF_8), new Random(seed));
        PluginGossip.takesShipments(new String(published, StandardCharsets.UTF_8));
    }
}
