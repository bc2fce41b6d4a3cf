/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Values and options of an EXECUTE, a QUERY or a BATCH. One thread. */
final class Options
{
    /** In the place of a value; told apart by identity. */
    static final byte[] UNSET = new byte[0];

    private static final int VALUES = 1;
    private static final int SKIP_METADATA = 2;
    private static final int PAGE_SIZE = 4;
    private static final int PAGING_STATE = 8;
    private static final int SERIAL_CONSISTENCY = 0x10;
    private static final int TIMESTAMP = 0x20;
    private static final int NAMES = 0x40;
    private static final int KEYSPACE = 0x80;
    private static final int NOW = 0x100;

    final List<byte[]> values = new ArrayList<>();
    /** Null where values go by position. */
    List<String> names;
    int consistency = Replicas.consistency();
    boolean skipMetadata;
    Integer pageSize;
    byte[] pagingState;
    Integer serialConsistency;
    Long timestamp;
    /** Version 5. */
    String keyspace;
    /** Version 5. */
    Integer nowSeconds;
    int moreFlags;

    /** @return others that are equal */
    Options copy()
    {
        Options copy = new Options();
        copy.values.addAll(values);
        copy.names = names;
        copy.consistency = consistency;
        copy.skipMetadata = skipMetadata;
        copy.pageSize = pageSize;
        copy.pagingState = pagingState;
        copy.serialConsistency = serialConsistency;
        copy.timestamp = timestamp;
        copy.keyspace = keyspace;
        copy.nowSeconds = nowSeconds;
        copy.moreFlags = moreFlags;
        return copy;
    }

    void write(Body body, int version)
    {
        int flags = flags(version);
        body.u16(consistency);
        if (version < 5)
            body.u8(flags);
        else
            body.i32(flags);
        if ((flags & VALUES) != 0)
            writeValues(body);
        if (pageSize != null)
            body.i32(pageSize);
        if (pagingState != null)
            body.value(pagingState);
        if (serialConsistency != null)
            body.u16(serialConsistency);
        if (timestamp != null)
            body.i64(timestamp);
        if (keyspace != null && version >= 5)
            body.string(keyspace);
        if (nowSeconds != null && version >= 5)
            body.i32(nowSeconds);
    }

    private int flags(int version)
    {
        int flags = moreFlags;
        flags |= values.isEmpty() ? 0 : VALUES;
        flags |= names == null ? 0 : NAMES;
        flags |= skipMetadata ? SKIP_METADATA : 0;
        flags |= pageSize == null ? 0 : PAGE_SIZE;
        flags |= pagingState == null ? 0 : PAGING_STATE;
        flags |= serialConsistency == null ? 0 : SERIAL_CONSISTENCY;
        flags |= timestamp == null ? 0 : TIMESTAMP;
        if (version >= 5)
        {
            flags |= keyspace == null ? 0 : KEYSPACE;
            flags |= nowSeconds == null ? 0 : NOW;
        }
        return flags;
    }

    private void writeValues(Body body)
    {
        body.u16(values.size());
        for (int i = 0; i < values.size(); i++)
        {
            if (names != null)
                body.string(names.get(i));
            write(body, values.get(i));
        }
    }

    /** Writes the values as the statements of a BATCH have them. */
    static void writeValues(Body body, List<byte[]> values)
    {
        body.u16(values.size());
        values.forEach(value -> write(body, value));
    }

    private static void write(Body body, byte[] value)
    {
        if (value == UNSET)
            body.i32(Body.UNSET);
        else
            body.value(value);
    }

    @Override
    public String toString()
    {
        return values.stream().map(value -> value == UNSET ? "unset" : Text.hex(value)).collect(Collectors.joining(", ", "(", ")"))
               + (names == null ? "" : " named " + names) + " consistency " + consistency + (skipMetadata ? ", skip metadata" : "")
               + text(", page size ", pageSize) + text(", state ", pagingState == null ? null : Text.hex(pagingState))
               + text(", serial ", serialConsistency) + text(", timestamp ", timestamp) + text(", keyspace ", keyspace)
               + text(", now ", nowSeconds) + (moreFlags == 0 ? "" : ", more flags " + moreFlags);
    }

    private static String text(String name, Object value)
    {
        return value == null ? "" : name + value;
    }
}
