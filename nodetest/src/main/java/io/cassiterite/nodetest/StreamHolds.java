/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.streaming.IncomingStream;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.StreamHook;
import org.apache.cassandra.streaming.StreamResultFuture;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.StreamingDataOutputPlus;
import org.apache.cassandra.streaming.messages.OutgoingStreamMessage;

/**
 * Pauses the streams of a test node ({@code -Dcassandra.stream_hook}), so that a test can act meanwhile. The file named
 * by {@link #FILE_PROPERTY} has the order. {@code sent N} pauses before the Nth of the engine's files is sent.
 * {@code received N} pauses after it was received, before the session processes it; {@code received-sstable N} does so after the
 * Nth ordinary sstable. Only files of one table count if its name follows. While streams are paused the file has {@code held}.
 */
public final class StreamHolds implements StreamHook
{
    static final String FILE_PROPERTY = "cassiterite.stream.holds";

    private static final Duration HELD_BOUND = Duration.ofMinutes(15);
    private static final Duration AWAIT_BOUND = Duration.ofSeconds(120);
    private static final int POLL_MILLIS = 20;

    private final OrderFile orders = new OrderFile(Path.of(System.getProperty(FILE_PROPERTY)));

    /** Adds the hook to a node, with its orders in a file of the node's folder. */
    public static NodeBuilder on(NodeBuilder node)
    {
        return node.jvm("-Dcassandra.stream_hook=" + StreamHolds.class.getName()).jvm("-D" + FILE_PROPERTY + "=" + orders(node.base));
    }

    /** Replaces the order before; streams that a node holds resume. */
    public static void order(Node node, String hold)
    {
        orders(node.base()).write(hold);
    }

    /** Resumes the streams that a node holds. */
    public static void release(Node node)
    {
        order(node, "");
    }

    /** Waits until a node holds a stream as ordered; the test fails at once if the command that makes it ends before. */
    public static void awaitHeld(Node node, CompletableFuture<Output> command)
    {
        await(orders(node.base()), true, AWAIT_BOUND, () -> {
            if (command.isDone())
                throw new AssertionError("no stream was held: " + command.join().text() + "\n" + node.log().lastTrouble());
        });
    }

    private static OrderFile orders(Path base)
    {
        return new OrderFile(base.resolve("stream-holds"));
    }

    private static void await(OrderFile orders, boolean held, Duration bound, Runnable check)
    {
        long deadlineNanos = System.nanoTime() + bound.toNanos();
        while (held != orders.isHeld())
        {
            check.run();
            if (System.nanoTime() > deadlineNanos)
                throw new AssertionError(orders + ": no stream was " + (held ? "held" : "resumed") + " within " + bound);
            Pause.millis(POLL_MILLIS);
        }
    }

    @Override
    public void reportStreamFuture(StreamSession session, StreamResultFuture future)
    {
    }

    @Override
    public OutgoingStreamMessage reportOutgoingStream(StreamSession session, OutgoingStream stream, OutgoingStreamMessage message)
    {
        return new OutgoingStreamMessage(message.header.tableId, session, holding(stream), message.header.sequenceNumber);
    }

    private OutgoingStream holding(OutgoingStream stream)
    {
        return Forwarding.to(stream, OutgoingStream.class, "write", arguments -> {
            hold("sent", stream.getName(), stream.getTableId());
            stream.write((StreamSession) arguments[0], (StreamingDataOutputPlus) arguments[1], (int) arguments[2]);
            return null;
        });
    }

    @Override
    public void reportIncomingStream(TableId table, IncomingStream stream, StreamSession session, int sequenceNumber)
    {
        hold("received", stream.getName(), table);
    }

    /** Returns when no stream is to be held. */
    private void hold(String where, String file, TableId table)
    {
        boolean isOfEngine = file.contains("/export/") || file.contains("/incoming/");
        if (isOfEngine ? isDue(where, table) : isDueSstable(where + "-sstable", table))
            await(orders, false, HELD_BOUND, () -> {});
    }

    /** Others pass while one is held. */
    private synchronized boolean isDueSstable(String where, TableId id)
    {
        return orders.words().get(0).equals(where) && isDue(where, id);
    }

    private synchronized boolean isDue(String where, TableId id)
    {
        if (orders.isHeld())
            return true;
        List<String> words = orders.words();
        if (!words.get(0).equals(where))
            return false;
        TableMetadata table = Schema.instance.getTableMetadata(id);
        if (words.size() > 2 && (table == null || !words.get(2).equals(table.name)))
            return false;
        int left = Integer.parseInt(words.get(1)) - 1;
        if (left == 0)
            orders.hold();
        else
            orders.write(where + ' ' + left + (words.size() > 2 ? ' ' + words.get(2) : ""));
        return left == 0;
    }
}
