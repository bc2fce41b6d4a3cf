/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.data.ByteUtils;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.driver.internal.core.metadata.schema.parsing.DataTypeCqlNameParser;

/** The bytes of {@link NativeValues}, as a client binds them. Stateless. */
final class LiteralBytes
{
    private static final Pattern FROM_BLOB = Pattern.compile("blob_as_\\w+\\((0x[0-9a-f]*)\\)");
    private static final DataTypeCqlNameParser TYPES = new DataTypeCqlNameParser();

    private LiteralBytes()
    {
    }

    /** @param type the name of a native type */
    static ByteBuffer of(String type, String literal)
    {
        Matcher blob = FROM_BLOB.matcher(literal);
        return blob.matches() ? ByteUtils.fromHexString(blob.group(1)) : encoded(TYPES.parse(null, type, null, null), literal);
    }

    private static ByteBuffer encoded(DataType type, String literal)
    {
        TypeCodec<Object> codec = CodecRegistry.DEFAULT.codecFor(type);
        return codec.encode(codec.parse(literal), ProtocolVersion.DEFAULT);
    }
}
