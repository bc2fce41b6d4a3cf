/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.node.PluginGossip;

/** The stream header: what precedes the bytes of each file of a shipment (docs/internals/formats.md, "Stream"). Immutable. */
final class StreamHeader
{
    static final int VERSION = PluginGossip.VERSION;
    /** The same header, before a manifest without checksums. */
    private static final int VERSION_UNSUMMED = 1;

    /**
     * Stands in a stream message in place of the time of the last repair, if a file of a shipment follows: Cassandra
     * passes it on before it reads anything else, and no real time is negative.
     */
    static final long MARKER = -0x4361_7373_6974_6572L;

    private static final int RETAINED = 1;
    private static final int FIXED_BYTES = 1 + 1 + 16 + 4 + 8 + 8 + 2 + 4;
    private static final int RANGE_BYTES = 16;
    /** Enough for the ranges of thousands of nodes. Receivers of all versions refuse more, so no sender may exceed it. */
    private static final int MAX_BODY_BYTES = 1 << 20;
    /** Of one shipment. They fit with any file name; a repair with more ranges sends several shipments. */
    static final int MAX_RANGES = 60_000;

    /** File names come from the network and become paths. */
    private static final Pattern NAME = Pattern.compile("[0-9A-Za-z_-][0-9A-Za-z._-]{0,127}");

    final ShipmentFile.Kind kind;
    /** The receiver has retained the file; its bytes do not follow. */
    final boolean retained;
    final UUID shipment;
    final int shipmentFiles;
    /** Of the files that the receiver has not retained. */
    final long shipmentBytes;
    final long bytes;
    /** In the shipment's folder. A whole file has the same name on every node, and no other file has it. */
    final String name;
    /** The ranges of the shipment: with the manifest, else none. */
    final List<Range<Token>> ranges;

    StreamHeader(ShipmentFile file, boolean retained, UUID shipment, int shipmentFiles, long shipmentBytes, List<Range<Token>> ranges)
    {
        this(file.kind(), retained, shipment, shipmentFiles, shipmentBytes, file.bytes(), file.name(),
             file.kind() == ShipmentFile.Kind.MANIFEST ? ranges : List.of());
    }

    private StreamHeader(ShipmentFile.Kind kind, boolean retained, UUID shipment, int shipmentFiles, long shipmentBytes, long bytes,
                       String name, List<Range<Token>> ranges)
    {
        this.kind = kind;
        this.retained = retained;
        this.shipment = shipment;
        this.shipmentFiles = shipmentFiles;
        this.shipmentBytes = shipmentBytes;
        this.bytes = bytes;
        this.name = name;
        this.ranges = List.copyOf(ranges);
    }

    /** @return bytes of the file that follow the header */
    long movingBytes()
    {
        return retained ? 0 : bytes;
    }

    void write(DataOutput out) throws IOException
    {
        byte[] nameBytes = name.getBytes(StandardCharsets.US_ASCII);
        long bodyBytes = FIXED_BYTES + nameBytes.length + (long) RANGE_BYTES * ranges.size();
        if (bodyBytes > MAX_BODY_BYTES)
            throw new IllegalStateException(this + " cannot be sent: no receiver takes a stream header of " + ranges.size() + " ranges");
        ByteBuffer buffer = begin(VERSION, (int) bodyBytes);
        buffer.put((byte) kind.ordinal()).put((byte) (retained ? RETAINED : 0));
        buffer.putLong(shipment.getMostSignificantBits()).putLong(shipment.getLeastSignificantBits());
        buffer.putInt(shipmentFiles).putLong(shipmentBytes).putLong(bytes);
        buffer.putShort((short) nameBytes.length).put(nameBytes);
        buffer.putInt(ranges.size());
        for (Range<Token> range : ranges)
            buffer.putLong(range.left.getLongValue()).putLong(range.right.getLongValue());
        buffer.putInt(checksum(buffer));
        out.write(buffer.array());
    }

    private static ByteBuffer begin(int version, int bodyBytes)
    {
        return ByteBuffer.allocate(1 + 4 + bodyBytes + 4).order(ByteOrder.LITTLE_ENDIAN).put((byte) version).putInt(bodyBytes);
    }

    /** @throws IOException if it is damaged, or of a format that this node does not know */
    static StreamHeader read(DataInput in) throws IOException
    {
        int version = in.readUnsignedByte();
        if (version < VERSION_UNSUMMED || version > VERSION)
            throw new IOException("a stream of format " + version + " was sent, but this node's plug-in knows formats up to " + VERSION);
        int bodyBytes = Integer.reverseBytes(in.readInt());
        if (bodyBytes < FIXED_BYTES || bodyBytes > MAX_BODY_BYTES)
            throw damaged("it would be " + bodyBytes + " bytes long");
        ByteBuffer buffer = begin(version, bodyBytes);
        int start = buffer.position();
        in.readFully(buffer.array(), start, bodyBytes + 4);
        buffer.position(start + bodyBytes);
        if (buffer.getInt(buffer.position()) != checksum(buffer))
            throw damaged("its checksum is wrong");
        buffer.limit(buffer.position()).position(start);
        return body(buffer);
    }

    private static StreamHeader body(ByteBuffer in) throws IOException
    {
        ShipmentFile.Kind kind = kind(in.get());
        boolean retained = (in.get() & RETAINED) != 0;
        UUID shipment = new UUID(in.getLong(), in.getLong());
        int files = in.getInt();
        long shipmentBytes = in.getLong();
        long bytes = in.getLong();
        String name = name(in);
        List<Range<Token>> ranges = ranges(in);
        if (files <= 0 || bytes < 0 || shipmentBytes < (retained ? 0 : bytes))
            throw damaged("its sizes contradict each other");
        return new StreamHeader(kind, retained, shipment, files, shipmentBytes, bytes, name, ranges);
    }

    private static ShipmentFile.Kind kind(int ordinal) throws IOException
    {
        ShipmentFile.Kind[] kinds = ShipmentFile.Kind.values();
        if (ordinal < 0 || ordinal >= kinds.length)
            throw damaged("it names no kind of file");
        return kinds[ordinal];
    }

    private static String name(ByteBuffer in) throws IOException
    {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining() - 4)
            throw damaged("the file's name is cut off");
        byte[] bytes = new byte[length];
        in.get(bytes);
        String name = new String(bytes, StandardCharsets.US_ASCII);
        if (!NAME.matcher(name).matches())
            throw damaged("'" + name + "' cannot be a file's name");
        return name;
    }

    private static List<Range<Token>> ranges(ByteBuffer in) throws IOException
    {
        long count = Integer.toUnsignedLong(in.getInt());
        if (count * RANGE_BYTES != in.remaining())
            throw damaged("its ranges do not fill it");
        List<Range<Token>> ranges = new ArrayList<>((int) count);
        while (in.hasRemaining())
            ranges.add(new Range<>(new LongToken(in.getLong()), new LongToken(in.getLong())));
        return ranges;
    }

    /** Of the bytes before the buffer's position. */
    private static int checksum(ByteBuffer buffer)
    {
        CRC32C crc = new CRC32C();
        crc.update(buffer.array(), 0, buffer.position());
        return (int) crc.getValue();
    }

    private static IOException damaged(String how)
    {
        return new IOException("the stream header of a file is damaged: " + how);
    }

    @Override
    public boolean equals(Object object)
    {
        if (!(object instanceof StreamHeader))
            return false;
        StreamHeader other = (StreamHeader) object;
        return kind == other.kind && retained == other.retained && shipment.equals(other.shipment) &&
               shipmentFiles == other.shipmentFiles && shipmentBytes == other.shipmentBytes && bytes == other.bytes &&
               name.equals(other.name) && ranges.equals(other.ranges);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(shipment, name);
    }

    @Override
    public String toString()
    {
        return String.format("%s (%s, %d bytes) of shipment %s", name, kind, bytes, shipment);
    }
}
