/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes the body of a request in the protocol's notation. One thread. */
final class Body
{
    static final int NULL = -1;
    static final int UNSET = -2;

    private interface Writing
    {
        void to(DataOutputStream out) throws IOException;
    }

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    Body u8(int value)
    {
        return write(to -> to.writeByte(value));
    }

    Body u16(int value)
    {
        return write(to -> to.writeShort(value));
    }

    Body i32(int value)
    {
        return write(to -> to.writeInt(value));
    }

    Body i64(long value)
    {
        return write(to -> to.writeLong(value));
    }

    Body raw(byte[] value)
    {
        return write(to -> to.write(value));
    }

    Body string(String text)
    {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return u16(utf8.length).raw(utf8);
    }

    Body longString(String text)
    {
        return value(text.getBytes(StandardCharsets.UTF_8));
    }

    Body shortBytes(byte[] value)
    {
        return u16(value.length).raw(value);
    }

    Body value(byte[] value)
    {
        return value == null ? i32(NULL) : i32(value.length).raw(value);
    }

    Body strings(Map<String, String> map)
    {
        u16(map.size());
        map.forEach((key, value) -> string(key).string(value));
        return this;
    }

    byte[] bytes()
    {
        return bytes.toByteArray();
    }

    private Body write(Writing writing)
    {
        try
        {
            writing.to(out);
            return this;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
