/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.locator.InetAddressAndPort;

/** Properties of the connection to a peer. */
final class PeerConnection
{
    private PeerConnection()
    {
    }

    /** True if bytes are encrypted in this process's memory: there is no sendfile then. */
    static boolean isEncrypted(InetAddressAndPort peer)
    {
        return DatabaseDescriptor.getInternodeMessagingEncyptionOptions().shouldEncrypt(peer);
    }
}
