/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.UUID;
import java.util.function.Supplier;

import io.netty.buffer.Unpooled;

import org.apache.cassandra.cql3.ResultSet;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.MD5Digest;

/** Makes recipes readable, by their specification. */
final class RecipeDump
{
    private static final Map<Integer, String> TYPES = Map.ofEntries(
        Map.entry(1, "ascii"), Map.entry(2, "bigint"), Map.entry(3, "blob"), Map.entry(4, "boolean"), Map.entry(6, "decimal"),
        Map.entry(7, "double"), Map.entry(8, "float"), Map.entry(9, "int"), Map.entry(0x0B, "timestamp"), Map.entry(0x0C, "uuid"),
        Map.entry(0x0D, "text"), Map.entry(0x0E, "varint"), Map.entry(0x0F, "timeuuid"), Map.entry(0x10, "inet"), Map.entry(0x11, "date"),
        Map.entry(0x12, "time"), Map.entry(0x13, "smallint"), Map.entry(0x14, "tinyint"));
    private static final String[] BOUNDS = { "[", "(", "]", ")" };
    private static final String[] ENCODERS = { "", " set", " list", " map", " udt", " counter" };

    final MD5Digest statement;
    final UUID table;
    final int binds;
    /** One line for each part, but for flags and limits that are not there. */
    final String read;
    /** Of protocol 3, 4 and 5, each with the flags and the number of columns. */
    final List<ByteBuffer> metadata = new ArrayList<>();
    final MD5Digest metadataId;
    final boolean metadataIsAsPrepared;

    private final ByteBuffer in;

    RecipeDump(byte[] recipe)
    {
        in = ByteBuffer.wrap(recipe);
        if (in.get() != 1)
            throw new AssertionError("version");
        statement = digest();
        table = new UUID(in.getLong(), in.getLong());
        binds = count();
        StringJoiner lines = new StringJoiner("\n");
        lines.add("key " + list(this::value));
        int[] clusterings = { 0 };
        lines.add("clustering " + list(() -> {
            clusterings[0]++;
            int type = in.get() & 0xFF;
            return TYPES.get(type & 0x7F) + (type > 0x7F ? " desc" : "");
        }));
        lines.add(in.get() == 0 ? "rows " + list(() -> "(" + values(clusterings[0]) + ")")
                                : "slices " + list(() -> bound() + " .. " + bound()));
        flags(in.get(), lines);
        limit("limit ", lines);
        limit("per partition limit ", lines);
        lines.add("columns " + list(this::column));
        lines.add("fetched " + list(() -> "#" + in.getInt()) + " static " + list(() -> "#" + in.getInt()));
        read = lines.toString();
        for (int version = 3; version <= 5; version++)
            metadata.add(metadata());
        metadataId = digest();
        metadataIsAsPrepared = in.get() == 1;
        if (in.hasRemaining())
            throw new AssertionError("trailing bytes");
    }

    ResultSet.ResultMetadata metadata(ProtocolVersion version)
    {
        ByteBuffer bytes = metadata.get(version.asInt() - 3);
        return ResultSet.ResultMetadata.codec.decode(Unpooled.wrappedBuffer(bytes.duplicate()), version);
    }

    private MD5Digest digest()
    {
        byte[] id = new byte[16];
        in.get(id);
        return MD5Digest.wrap(id);
    }

    private int count()
    {
        return in.getShort() & 0xFFFF;
    }

    private String list(Supplier<String> one)
    {
        return repeat(count(), one);
    }

    private String values(int count)
    {
        return repeat(count, this::value);
    }

    private static String repeat(int count, Supplier<String> one)
    {
        StringJoiner all = new StringJoiner(", ");
        for (int i = 0; i < count; i++)
            all.add(one.get());
        return all.toString();
    }

    private String value()
    {
        if (in.get() == 0)
            return "?" + count() + " " + TYPES.get((int) in.get());
        byte[] constant = new byte[in.getInt()];
        in.get(constant);
        return "0x" + ByteBufferUtil.bytesToHex(ByteBuffer.wrap(constant));
    }

    private String bound()
    {
        String kind = BOUNDS[in.get()];
        String values = list(this::value);
        return "[(".contains(kind) ? kind + values : values + kind;
    }

    private static void flags(int flags, StringJoiner lines)
    {
        if (flags != 0)
            lines.add("flags" + ((flags & 1) == 0 ? "" : " reversed") + ((flags & 2) == 0 ? "" : " static")
                      + ((flags & 4) == 0 ? "" : " returns-static") + ((flags & ~7) == 0 ? "" : " unknown"));
    }

    private void limit(String name, StringJoiner lines)
    {
        switch (in.get())
        {
            case 0:
                return;
            case 1:
                lines.add(name + in.getInt());
                return;
            default:
                lines.add(name + "?" + count());
        }
    }

    private String column()
    {
        int kind = in.get();
        if (kind == 0)
            return "key " + count();
        if (kind == 1)
            return "clustering " + count();
        String column = (kind == 2 ? "#" : "static #") + in.getInt();
        int encoder = in.get();
        return column + ENCODERS[encoder] + (encoder == 4 ? " of " + count() : "");
    }

    private ByteBuffer metadata()
    {
        ByteBuffer head = in.slice();
        in.position(in.position() + 8);
        byte[] tail = new byte[in.getInt()];
        in.get(tail);
        ByteBuffer whole = ByteBuffer.allocate(8 + tail.length).putInt(head.getInt()).putInt(head.getInt()).put(tail);
        whole.flip();
        return whole;
    }
}
