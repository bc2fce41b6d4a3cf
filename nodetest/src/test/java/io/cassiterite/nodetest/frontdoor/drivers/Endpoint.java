/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.net.InetSocketAddress;

/**
 * What a driver connects to, and how.
 *
 * @param version     of the protocol: 3, 4 or 5
 * @param compression none or lz4
 * @param keyspace    the session's own; null for none
 */
record Endpoint(InetSocketAddress address, int version, String compression, String keyspace)
{
    static final String LZ4 = "lz4";
    static final String NONE = "none";

    boolean isCompressed()
    {
        return compression.equals(LZ4);
    }

    /** Takes from a text what differs between the ways to one node. */
    String anonymous(String text)
    {
        return text.replace(address.getAddress().getHostAddress() + ':' + address.getPort(), "node");
    }
}
