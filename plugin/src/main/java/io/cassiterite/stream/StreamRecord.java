/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.ShipmentFile;

/** What was sent or received of one shipment, for the virtual table {@code cassiterite.streams}. Thread-safe. */
final class StreamRecord
{
    enum Direction
    {
        IN, OUT
    }

    enum State
    {
        /** Files are being sent or received. */
        OPEN,
        /** All files are in the table, or at the receiver. */
        DONE,
        FAILED
    }

    private final String peer;
    private final String operation;
    private final TableMetadata table;
    private final Direction direction;
    private final UUID shipment;
    /** Weak, because the session references all that it has received. */
    private final WeakReference<StreamSession> session;
    private final long startedMs = System.currentTimeMillis();
    private final Map<String, Long> rowBytesByReason = new TreeMap<>();

    /** Null until it is known: a node that initiates a plan prepares its files before the session has a plan id. */
    private TimeUUID plan;
    private State state = State.OPEN;
    private long endedMs;
    private int expectedFiles;
    private long expectedBytes;
    private int ended;
    private int acknowledged;
    private long wholeFiles;
    private long wholeBytes;
    private long rowFiles;
    private long rowBytes;
    private long retainedBytes;
    private long copiedBytes;
    private long rewrittenBytes;

    StreamRecord(StreamSession session, TableMetadata table, Direction direction, UUID shipment)
    {
        this.session = new WeakReference<>(session);
        this.peer = session.peer.getHostAddressAndPort();
        this.operation = session.getStreamOperation().getDescription();
        this.table = table;
        this.direction = direction;
        this.shipment = shipment;
    }

    synchronized void expect(int files, long bytes)
    {
        expectedFiles = files;
        expectedBytes = bytes;
    }

    /**
     * A file has been sent or received.
     *
     * @param reason why it was not whole; empty if unknown here
     * @param copied if its bytes went through this process's memory on their way to the socket
     */
    synchronized void add(StreamHeader header, String reason, boolean copied)
    {
        plan();
        if (header.retained)
            retainedBytes += header.bytes;
        else if (copied)
            copiedBytes += header.bytes;
        if (header.kind == ShipmentFile.Kind.WHOLE)
        {
            wholeFiles++;
            wholeBytes += header.bytes;
        }
        else if (header.kind == ShipmentFile.Kind.ROWS)
        {
            rowFiles++;
            rowBytes += header.bytes;
            if (!reason.isEmpty())
                rowBytesByReason.merge(reason, header.bytes, Long::sum);
        }
    }

    /** Bytes of whole files that the receiver had to rewrite as rows. */
    synchronized void rewritten(long bytes)
    {
        rewrittenBytes = bytes;
    }

    /** One of the outgoing streams has ended, sent or not. */
    synchronized void ended()
    {
        ended++;
        if (isAcknowledged())
            acknowledged++;
        if (ended == expectedFiles)
            end(acknowledged == expectedFiles ? State.DONE : State.FAILED);
    }

    private String plan()
    {
        StreamSession known = session.get();
        if (plan == null && known != null)
            plan = known.planId();
        return plan == null ? "unknown" : plan.toString();
    }

    /** Streams of which nothing is heard end before their session fails, but not under its lock, under which it hears. */
    private boolean isAcknowledged()
    {
        StreamSession known = session.get();
        return known != null && Thread.holdsLock(known) && !known.isFailedOrAborted();
    }

    synchronized void end(State how)
    {
        if (state != State.OPEN)
            return;
        state = how;
        endedMs = System.currentTimeMillis();
    }

    static String header()
    {
        return String.join("\t", "plan_id", "keyspace_name", "table_name", "peer_name", "direction_name", "shipment_id",
                           "operation_text", "state_text", "started_ms", "duration_ms", "expected_files", "expected_bytes",
                           "whole_files", "whole_bytes", "row_files", "row_bytes", "retained_bytes", "copied_bytes", "rewritten_bytes",
                           "whole_ratio", "reason_text");
    }

    synchronized String line()
    {
        long moved = wholeBytes + rowBytes;
        return String.join("\t", plan(), table.keyspace, table.name, peer, direction.name(), shipment.toString(), operation,
                           state.name(), Long.toString(startedMs),
                           Long.toString((state == State.OPEN ? System.currentTimeMillis() : endedMs) - startedMs),
                           Integer.toString(expectedFiles), Long.toString(expectedBytes), Long.toString(wholeFiles),
                           Long.toString(wholeBytes), Long.toString(rowFiles), Long.toString(rowBytes),
                           Long.toString(retainedBytes), Long.toString(copiedBytes),
                           Long.toString(rewrittenBytes),
                           moved == 0 ? "" : Double.toString((double) wholeBytes / moved), reasons());
    }

    private String reasons()
    {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Long> reason : rowBytesByReason.entrySet())
            text.append(text.length() == 0 ? "" : "; ").append(reason.getKey()).append(": ").append(reason.getValue()).append(" bytes");
        return text.toString();
    }
}
