/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** With what the door meets clients that speak TLS. Immutable. */
final class TlsTerms
{
    static final String TLS_1_2 = "TLSv1.2";
    static final String TLS_1_3 = "TLSv1.3";

    private static final int VERSION = 1;
    private static final int HAS_TLS_1_2 = 1;
    private static final int HAS_TLS_1_3 = 2;

    private final List<String> protocols;
    private final List<String> suites;
    private final ServerKey key;

    /** @param suites in the order in which BoringSSL prefers them */
    TlsTerms(List<String> protocols, List<String> suites, ServerKey key)
    {
        this.protocols = protocols;
        this.suites = suites;
        this.key = key;
    }

    /** @return as docs/internals/boundary.md describes them; they have the private key, so the caller clears them */
    byte[] encode()
    {
        try
        {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeByte(VERSION);
            out.writeByte((protocols.contains(TLS_1_2) ? HAS_TLS_1_2 : 0) | (protocols.contains(TLS_1_3) ? HAS_TLS_1_3 : 0));
            write(out, suites.stream().map(suite -> suite.getBytes(StandardCharsets.US_ASCII)).collect(Collectors.toList()));
            write(out, key.chain);
            write(out, key.pkcs8);
            return bytes.toByteArray();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(DataOutputStream out, List<byte[]> things) throws IOException
    {
        out.writeShort(things.size());
        for (byte[] thing : things)
            write(out, thing);
    }

    private static void write(DataOutputStream out, byte[] thing) throws IOException
    {
        out.writeInt(thing.length);
        out.write(thing);
    }
}
