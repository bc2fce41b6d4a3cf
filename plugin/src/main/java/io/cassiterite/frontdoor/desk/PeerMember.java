/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Another node of the local data center with a door, as the door gets it. Immutable. */
final class PeerMember
{
    private static final byte VERSION = 1;
    private static final int HOST_ID_BYTES = 16;

    private final UUID hostId;
    private final PeerState state;
    private final InetAddress broadcast;
    private final boolean isUp;

    /** @param broadcast where other nodes reach it */
    PeerMember(UUID hostId, PeerState state, InetAddress broadcast, boolean isUp)
    {
        this.hostId = hostId;
        this.state = state;
        this.broadcast = broadcast;
        this.isUp = isUp;
    }

    /** @return as docs/internals/boundary.md describes it ("Peers of a door") */
    static byte[] encode(UUID own, List<PeerMember> members)
    {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(VERSION);
        bytes.writeBytes(bytes(own));
        bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(members.size()).array());
        members.forEach(member -> member.write(bytes));
        return bytes.toByteArray();
    }

    private static byte[] bytes(UUID id)
    {
        return ByteBuffer.allocate(HOST_ID_BYTES).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
    }

    private void write(ByteArrayOutputStream bytes)
    {
        bytes.writeBytes(bytes(hostId));
        bytes.writeBytes(state.fingerprint);
        bytes.write(isUp ? 1 : 0);
        bytes.write(state.port >> Byte.SIZE);
        bytes.write(state.port);
        Set<InetAddress> addresses = new LinkedHashSet<>(List.of(broadcast));
        addresses.add(state.address);
        bytes.write(addresses.size());
        for (InetAddress address : addresses)
        {
            bytes.write(address.getAddress().length);
            bytes.writeBytes(address.getAddress());
        }
    }
}
