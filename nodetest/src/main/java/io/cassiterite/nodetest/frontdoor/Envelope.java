/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A message of the native protocol, versions 3 to 5. Immutable, as long as nobody changes the body. */
final class Envelope
{
    static final int HEADER_BYTES = 9;
    static final int RESPONSE_BIT = 0x80;
    static final int EVENT_STREAM = -1;

    static final int COMPRESSED = 1;
    static final int TRACING = 2;
    static final int CUSTOM_PAYLOAD = 4;
    static final int WARNING = 8;

    static final int ERROR = 0;
    static final int STARTUP = 1;
    static final int READY = 2;
    static final int OPTIONS = 5;
    static final int QUERY = 7;
    static final int SUPPORTED = 6;
    static final int RESULT = 8;
    static final int PREPARE = 9;
    static final int EXECUTE = 10;
    static final int REGISTER = 11;
    static final int EVENT = 12;
    static final int BATCH = 13;

    private static final int LENGTH_OFFSET = 5;

    /** With the bit of the direction. */
    final int version;
    final int flags;
    final int stream;
    final int opcode;
    final byte[] body;

    Envelope(int version, int flags, int stream, int opcode, byte[] body)
    {
        this.version = version;
        this.flags = flags;
        this.stream = stream;
        this.opcode = opcode;
        this.body = body;
    }

    /** Reads one from a stream of envelopes. */
    static Envelope read(DataInputStream in) throws IOException
    {
        byte[] header = new byte[HEADER_BYTES];
        in.readFully(header);
        byte[] body = new byte[lengthIn(header)];
        in.readFully(body);
        return of(header, body);
    }

    /** Reads one from a buffer, which has it whole. */
    static Envelope read(ByteBuffer in)
    {
        byte[] header = new byte[HEADER_BYTES];
        in.get(header);
        byte[] body = new byte[lengthIn(header)];
        in.get(body);
        return of(header, body);
    }

    /** @return the length of the body that a header announces */
    static int lengthIn(byte[] header)
    {
        return ByteBuffer.wrap(header).getInt(LENGTH_OFFSET);
    }

    private static Envelope of(byte[] header, byte[] body)
    {
        return new Envelope(header[0] & 0xff, header[1] & 0xff, ByteBuffer.wrap(header).getShort(2), header[4] & 0xff, body);
    }

    boolean has(int flag)
    {
        return (flags & flag) != 0;
    }

    /** @return another one with this body, which is compressed or not */
    Envelope with(byte[] otherBody, boolean compressed)
    {
        return new Envelope(version, compressed ? flags | COMPRESSED : flags & ~COMPRESSED, stream, opcode, otherBody);
    }

    Envelope onStream(int other)
    {
        return new Envelope(version, flags, other, opcode, body);
    }

    int size()
    {
        return HEADER_BYTES + body.length;
    }

    byte[] bytes()
    {
        return ByteBuffer.allocate(size()).put((byte) version).put((byte) flags).putShort((short) stream).put((byte) opcode)
                         .putInt(body.length).put(body).array();
    }
}
