/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.streaming.IncomingStream;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.StreamHook;
import org.apache.cassandra.streaming.StreamResultFuture;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.StreamingDataOutputPlus;
import org.apache.cassandra.streaming.messages.OutgoingStreamMessage;

/**
 * Injects a fault into the streams of a test node ({@code -Dcassandra.stream_hook}), once, as the file named by
 * {@link #FILE_PROPERTY} orders: {@code flip N} alters a bit of the Nth file sent from then on, {@code halt-sent N} and
 * {@code halt-received N} end the process as soon as that many files have been.
 */
public final class StreamFaults implements StreamHook
{
    static final String FILE_PROPERTY = "cassiterite.stream.faults";

    private static final int CHUNK_BYTES = 64 << 10;

    private final Path file = Path.of(System.getProperty(FILE_PROPERTY));

    /** Adds the hook to a node, with its orders in a file of the node's folder. */
    public static NodeBuilder on(NodeBuilder node)
    {
        return node.jvm("-Dcassandra.stream_hook=" + StreamFaults.class.getName()).jvm("-D" + FILE_PROPERTY + "=" + orders(node.base));
    }

    /** Orders a fault of a node that has the hook. */
    public static void order(Node node, String fault)
    {
        try
        {
            Files.writeString(orders(node.base()), fault);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static Path orders(Path base)
    {
        return base.resolve("stream-faults");
    }

    /** @return true if the fault is due now */
    private synchronized boolean isDue(String fault)
    {
        try
        {
            if (!Files.exists(file))
                return false;
            String[] words = Files.readString(file, StandardCharsets.UTF_8).trim().split(" ");
            if (!words[0].equals(fault))
                return false;
            int left = Integer.parseInt(words[1]) - 1;
            if (left > 0)
                Files.writeString(file, fault + " " + left);
            else
                Files.delete(file);
            return left <= 0;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public OutgoingStreamMessage reportOutgoingStream(StreamSession session, OutgoingStream stream, OutgoingStreamMessage message)
    {
        return new OutgoingStreamMessage(message.header.tableId, session, faulty(stream), message.header.sequenceNumber);
    }

    @Override
    public void reportStreamFuture(StreamSession session, StreamResultFuture future)
    {
    }

    @Override
    public void reportIncomingStream(TableId tableId, IncomingStream stream, StreamSession session, int sequenceNumber)
    {
        if (isDue("halt-received"))
            Runtime.getRuntime().halt(9);
    }

    /** A stream that works, and injects the fault. */
    private OutgoingStream faulty(OutgoingStream stream)
    {
        return Forwarding.to(stream, OutgoingStream.class, "write", arguments -> {
            boolean flips = stream.getName().endsWith(".sst") && isDue("flip");
            StreamingDataOutputPlus output = (StreamingDataOutputPlus) arguments[1];
            stream.write((StreamSession) arguments[0], flips ? flipping(output) : output, (int) arguments[2]);
            if (isDue("halt-sent"))
                Runtime.getRuntime().halt(9);
            return null;
        });
    }

    /** An output that alters a bit in the middle of each file. */
    private static StreamingDataOutputPlus flipping(StreamingDataOutputPlus output)
    {
        return Forwarding.to(output, StreamingDataOutputPlus.class, "writeFileToChannel", arguments ->
            sendFlipped(output, (FileChannel) arguments[0], (StreamingDataOutputPlus.RateLimiter) arguments[1]));
    }

    private static long sendFlipped(StreamingDataOutputPlus output, FileChannel file, StreamingDataOutputPlus.RateLimiter limiter)
    throws IOException
    {
        try (file)
        {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            while (bytes.hasRemaining() && file.read(bytes) >= 0)
            {
                // until full
            }
            int middle = bytes.capacity() / 2;
            bytes.put(middle, (byte) (bytes.get(middle) ^ 0x10));
            for (int start = 0; start < bytes.capacity(); start += CHUNK_BYTES)
            {
                ByteBuffer chunk = bytes.duplicate().position(start).limit(Math.min(bytes.capacity(), start + CHUNK_BYTES));
                output.writeToChannel(supplier -> supplier.get(chunk.remaining()).put(chunk).flip(), limiter);
            }
            return bytes.capacity();
        }
    }
}
