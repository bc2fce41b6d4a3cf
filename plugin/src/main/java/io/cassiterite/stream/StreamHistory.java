/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;

import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.streaming.StreamSession;

/** The stream history: the latest shipments of this node, in both directions. Thread-safe. */
public final class StreamHistory
{
    /** Enough for a day of hourly repairs of some tens of tables; half a mebibyte. */
    private static final int LIMIT = 1000;

    private static final Deque<StreamRecord> RECORDS = new ArrayDeque<>();

    private StreamHistory()
    {
    }

    static StreamRecord open(StreamSession session, TableMetadata table, StreamRecord.Direction direction, UUID shipment)
    {
        StreamRecord record = new StreamRecord(session, table, direction, shipment);
        synchronized (RECORDS)
        {
            if (RECORDS.size() == LIMIT)
                RECORDS.removeFirst();
            RECORDS.addLast(record);
        }
        return record;
    }

    /** @return lines of tab-separated values, the first line names the columns, as the engine's own reports */
    public static String report()
    {
        StringBuilder lines = new StringBuilder(StreamRecord.header()).append('\n');
        synchronized (RECORDS)
        {
            for (StreamRecord record : RECORDS)
                lines.append(record.line()).append('\n');
        }
        return lines.toString();
    }
}
