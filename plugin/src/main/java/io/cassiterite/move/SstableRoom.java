/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.Arrays;
import java.util.stream.LongStream;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.io.FSDiskFullWriteError;
import org.apache.cassandra.io.FSNoDiskAvailableForWriteError;
import org.apache.cassandra.utils.FBUtilities;

/** Whether a table's data directories have room for its rows beside those of the engine. */
final class SstableRoom
{
    /** Sstables may be larger than the engine's files, which end in a stronger compression. */
    private static final double FACTOR = 1.4;
    /** Of the node's own writes, whose store may lie on the same device. */
    private static final long RESERVE_BYTES = 512L << 20;

    private SstableRoom()
    {
    }

    /** There is not enough. The message says how much is missing. */
    static final class Missing extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        Missing(String message)
        {
            super(message);
        }
    }

    /** @return why there was no room to write sstables, null if this is another failure */
    static String missing(Throwable failure)
    {
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
            if (cause instanceof Missing || cause instanceof FSDiskFullWriteError || cause instanceof FSNoDiskAvailableForWriteError
                || String.valueOf(cause.getMessage()).contains("No space left on device"))
                return cause.getMessage();
        return null;
    }

    /** @param engineBytes what the engine has of rows that are yet to be written */
    static void check(ColumnFamilyStore cfs, long engineBytes)
    {
        check(engineBytes, Arrays.stream(cfs.getDirectories().getWriteableLocations())
                                 .mapToLong(Directories.DataDirectory::getAvailableSpace));
    }

    /** Each disk keeps its reserve, however much the others have: the node's log may be there. */
    static void check(Directories.DataDirectory disk)
    {
        check(disk.location.toString(), disk.getAvailableSpace());
    }

    static void check(String disk, long availableBytes)
    {
        if (availableBytes <= RESERVE_BYTES)
            throw new Missing(String.format("%s has %s left, and %s of it are the node's own", disk,
                                            FBUtilities.prettyPrintMemory(availableBytes), FBUtilities.prettyPrintMemory(RESERVE_BYTES)));
    }

    static void check(long engineBytes, LongStream availableBytes)
    {
        long needed = (long) (FACTOR * engineBytes);
        long available = availableBytes.map(bytes -> Math.max(0, bytes - RESERVE_BYTES)).sum();
        if (available <= needed)
            throw new Missing(String.format("about %s of sstables are to be written, for which the data directories lack %s",
                                            FBUtilities.prettyPrintMemory(needed),
                                            FBUtilities.prettyPrintMemory(needed - available + 1)));
    }
}
