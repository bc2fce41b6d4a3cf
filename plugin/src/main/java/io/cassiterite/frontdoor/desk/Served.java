/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MD5Digest;

/** What the door answered natively in some time. Immutable. */
final class Served
{
    final Map<TableId, Reads> tables = new LinkedHashMap<>();
    /** By the codes of consistency levels. */
    final Map<Integer, Reads> levels = new LinkedHashMap<>();
    /** Requests of each connection. */
    final Map<Long, Long> connections = new LinkedHashMap<>();
    final long bytesReceived;
    final long bytesSent;
    final Map<MD5Digest, Executions> statements = new LinkedHashMap<>();
    final Map<TableId, Writes> writtenTables = new LinkedHashMap<>();
    final Map<Integer, Writes> writtenLevels = new LinkedHashMap<>();

    private Served(ByteBuffer in)
    {
        for (int count = in.getInt(); count > 0; count--)
            tables.put(TableId.fromUUID(new UUID(in.getLong(), in.getLong())),
                       new Reads(in.getLong(), in.getLong(), in.getLong(), in.getLong(), latencies(in)));
        for (int count = in.getInt(); count > 0; count--)
            levels.put(in.getShort() & 0xffff, new Reads(in.getLong(), 0, 0, 0, latencies(in)));
        for (int count = in.getInt(); count > 0; count--)
            connections.put(in.getLong(), in.getLong());
        bytesReceived = in.getLong();
        bytesSent = in.getLong();
        for (int count = in.getInt(); count > 0; count--)
            statements.put(statement(in), new Executions(in.getLong(), in.get()));
        for (int count = in.getInt(); count > 0; count--)
            writtenTables.put(TableId.fromUUID(new UUID(in.getLong(), in.getLong())), new Writes(in.getLong(), latencies(in)));
        for (int count = in.getInt(); count > 0; count--)
            writtenLevels.put(in.getShort() & 0xffff, new Writes(in.getLong(), latencies(in)));
        if (in.hasRemaining())
            throw new IllegalStateException(in.remaining() + " bytes too many in what the door served");
    }

    /** From the answer of {@link NativeDoor#served}. */
    static Served parse(byte[] bytes)
    {
        return new Served(ByteBuffer.wrap(bytes));
    }

    private static List<Bucket> latencies(ByteBuffer in)
    {
        List<Bucket> buckets = new ArrayList<>();
        for (int count = in.getInt(); count > 0; count--)
            buckets.add(new Bucket(in.getLong(), in.getLong()));
        return buckets;
    }

    private static MD5Digest statement(ByteBuffer in)
    {
        byte[] id = new byte[16];
        in.get(id);
        return MD5Digest.wrap(id);
    }

    /** All that was answered. */
    long requests()
    {
        return levels.values().stream().mapToLong(reads -> reads.count).sum()
               + writtenLevels.values().stream().mapToLong(writes -> writes.count).sum();
    }

    /** Writes of one kind. */
    static final class Writes
    {
        final long count;
        final List<Bucket> latencies;

        Writes(long count, List<Bucket> latencies)
        {
            this.count = count;
            this.latencies = latencies;
        }
    }

    /** Reads of one kind. */
    static final class Reads
    {
        final long count;
        final long rows;
        final long liveRows;
        final long tombstones;
        final List<Bucket> latencies;

        Reads(long count, long rows, long liveRows, long tombstones, List<Bucket> latencies)
        {
            this.count = count;
            this.rows = rows;
            this.liveRows = liveRows;
            this.tombstones = tombstones;
            this.latencies = latencies;
        }
    }

    /** Reads that took as long as this, but longer than the bucket before. */
    static final class Bucket
    {
        final long nanos;
        final long count;

        Bucket(long nanos, long count)
        {
            this.nanos = nanos;
            this.count = count;
        }
    }

    /** Of a statement. */
    static final class Executions
    {
        final long count;
        final Audition audition;

        Executions(long count, int audition)
        {
            this.count = count;
            this.audition = Audition.values()[audition];
        }
    }

    /** How far the door trusts a recipe. */
    enum Audition
    {
        AUDITIONING("auditioning: its answers are compared with Cassandra's"),
        SERVING("serving"),
        REFUSED("refused: answers differed from Cassandra's, or could not be made");

        private final String description;

        Audition(String description)
        {
            this.description = description;
        }

        /** For people. */
        String description()
        {
            return description;
        }
    }
}
