/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.cassandra.utils.Hex;

/**
 * What a node says by gossip of the door that others may ask: {@code door/1:PORT:FINGERPRINT:ADDRESS}. The address is that
 * which it listens on and connects from. Immutable.
 */
final class PeerState
{
    /** In place of a state while there is no such door. */
    static final String NONE = "none";

    private static final Pattern FORM = Pattern.compile("door/1:([0-9]{1,5}):([0-9a-f]{64}):([0-9a-f.:]{2,45})");
    private static final int MAX_PORT = 65535;

    final int port;
    final byte[] fingerprint;
    final InetAddress address;

    PeerState(int port, byte[] fingerprint, InetAddress address)
    {
        this.port = port;
        this.fingerprint = fingerprint;
        this.address = address;
    }

    /** @return null if there is no door, or one of a version that this node does not know */
    static PeerState parse(String published)
    {
        Matcher known = FORM.matcher(published);
        if (!known.matches())
            return null;
        int port = Integer.parseInt(known.group(1));
        try
        {
            // none but digits, letters up to f, points and colons: no name is looked up where one of the latter is there
            String literal = known.group(3);
            boolean isLiteral = literal.indexOf(':') >= 0 || literal.matches("[0-9]+(\\.[0-9]+){3}");
            boolean isPort = port > 0 && port <= MAX_PORT;
            return isLiteral && isPort ? new PeerState(port, Hex.hexToBytes(known.group(2)), InetAddress.getByName(literal)) : null;
        }
        catch (UnknownHostException e)
        {
            return null;
        }
    }

    /** @return as it is published */
    @Override
    public String toString()
    {
        String literal = address.getHostAddress();
        int zone = literal.indexOf('%');
        return "door/1:" + port + ':' + Hex.bytesToHex(fingerprint) + ':' + (zone < 0 ? literal : literal.substring(0, zone));
    }

    @Override
    public boolean equals(Object other)
    {
        if (!(other instanceof PeerState))
            return false;
        PeerState that = (PeerState) other;
        return port == that.port && Arrays.equals(fingerprint, that.fingerprint) && address.equals(that.address);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(port, Arrays.hashCode(fingerprint), address);
    }
}
