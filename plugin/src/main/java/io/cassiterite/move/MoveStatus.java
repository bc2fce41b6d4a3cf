/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.concurrent.TimeUnit;

import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.FBUtilities;

/** What is known of the move of one table, for reports. Thread-safe. */
final class MoveStatus
{
    private String waitsFor = "";
    private String lastError = "";
    private long bytes;
    private long movedBytes;
    private long movedBefore;
    private long begunNanos;

    /** @param movedBefore of the bytes, by an earlier move that was interrupted */
    synchronized void begin(long bytes, long movedBefore)
    {
        this.bytes = bytes;
        this.movedBytes = movedBefore;
        this.movedBefore = movedBefore;
        this.begunNanos = Clock.Global.nanoTime();
    }

    synchronized void moved(long bytes)
    {
        movedBytes = bytes;
        lastError = "";
    }

    /** Nothing moves now. */
    synchronized void end()
    {
        bytes = 0;
        movedBytes = 0;
    }

    /** So many bytes are left for the drain. */
    synchronized void ready(long bytes)
    {
        waitsFor = "nodetool drain; ready: " + FBUtilities.prettyPrintMemory(bytes) + " in the engine";
        lastError = "";
    }

    synchronized void waitFor(String what)
    {
        waitsFor = what;
    }

    synchronized void failed(String error)
    {
        lastError = error.replaceAll("\\s+", " ");
    }

    /** Nothing, or what a move waits for. */
    synchronized String waitsFor()
    {
        return waitsFor;
    }

    synchronized String lastError()
    {
        return lastError;
    }

    /** Of the sstables that move now, those that have. */
    synchronized long movedBytes()
    {
        return movedBytes;
    }

    synchronized long leftBytes()
    {
        return bytes - movedBytes;
    }

    /** 0 while nothing moves, or has yet. */
    synchronized long bytesPerSecond()
    {
        double seconds = (Clock.Global.nanoTime() - begunNanos) / (double) TimeUnit.SECONDS.toNanos(1);
        return bytes == 0 ? 0 : (long) ((movedBytes - movedBefore) / Math.max(seconds, 1e-3));
    }
}
