/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.apache.cassandra.utils.Hex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** What nodes say of their doors by gossip, and what the native half is told of it. */
class PeerStateTest
{
    private static final String FINGERPRINT = "ab".repeat(32);

    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.1", "10.1.2.3", "fe80:0:0:0:1:2:3:4" })
    void whatIsPublishedIsRead(String address) throws Exception
    {
        PeerState state = new PeerState(7010, Hex.hexToBytes(FINGERPRINT), InetAddress.getByName(address));
        assertEquals("door/1:7010:" + FINGERPRINT + ':' + address, state.toString());
        assertEquals(state, PeerState.parse(state.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", PeerState.NONE, "door/2:7010:F:127.0.0.1", "door/1:7010:F", "door/1:0:F:127.0.0.1",
                             "door/1:65536:F:127.0.0.1", "door/1:7010:F:localhost", "door/1:7010:F:dead.beef",
                             "door/1:7010:F0:127.0.0.1", "door/1:7010:F:127.0.0.1 " })
    void anythingElseIsNoDoor(String published)
    {
        assertNull(PeerState.parse(published.replace("F", FINGERPRINT)));
    }

    @Test
    void membersAreWrittenAsTheBoundarySays() throws Exception
    {
        byte[] fingerprint = Hex.hexToBytes(FINGERPRINT);
        UUID own = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        PeerState state = new PeerState(7010, fingerprint, InetAddress.getByName("10.0.0.2"));
        PeerMember up = new PeerMember(own, state, InetAddress.getByName("192.0.2.1"), true);
        PeerMember down = new PeerMember(own, state, InetAddress.getByName("10.0.0.2"), false);
        String member = "00112233445566778899aabbccddeeff" + FINGERPRINT;
        assertEquals("01" + "00112233445566778899aabbccddeeff" + "00000002"
                     + member + "01" + "1b62" + "02" + "04" + "c0000201" + "04" + "0a000002"
                     + member + "00" + "1b62" + "01" + "04" + "0a000002",
                     Hex.bytesToHex(PeerMember.encode(own, Arrays.asList(up, down))));
        assertEquals("01" + "00112233445566778899aabbccddeeff" + "00000000", Hex.bytesToHex(PeerMember.encode(own, List.of())));
    }
}
