/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** One direction of one session in the output of {@code nodetool netstats}. Immutable. */
final class NetStats
{
    private static final Pattern SUMMARY = Pattern.compile(
        "(Receiving|Sending) (\\d+) files, (\\d+) bytes total\\. " +
        "Already \\w+ (\\d+) files \\(([\\d.]+)%\\), (\\d+) bytes total \\(([\\d.]+)%\\)");

    final boolean incoming;
    final long filesExpected;
    final long bytesExpected;
    final long files;
    final long bytes;
    private final double filesPercent;
    private final double bytesPercent;

    private NetStats(Matcher summary)
    {
        incoming = summary.group(1).equals("Receiving");
        filesExpected = Long.parseLong(summary.group(2));
        bytesExpected = Long.parseLong(summary.group(3));
        files = Long.parseLong(summary.group(4));
        filesPercent = Double.parseDouble(summary.group(5));
        bytes = Long.parseLong(summary.group(6));
        bytesPercent = Double.parseDouble(summary.group(7));
    }

    static List<NetStats> of(Node node)
    {
        List<NetStats> found = new ArrayList<>();
        Matcher summaries = SUMMARY.matcher(node.nodetool("netstats").success());
        while (summaries.find())
            found.add(new NetStats(summaries));
        return found;
    }

    /** The only session of the node, which must go one way only. */
    static NetStats single(Node node, boolean incoming)
    {
        List<NetStats> found = of(node);
        assertEquals(1, found.size(), found.toString());
        NetStats session = found.get(0);
        assertEquals(incoming, session.incoming, session.toString());
        session.assertSane();
        return session;
    }

    private void assertSane()
    {
        assertTrue(files <= filesExpected && bytes <= bytesExpected, toString());
        assertEquals(100.0 * files / filesExpected, filesPercent, 0.01, toString());
        assertEquals(100.0 * bytes / bytesExpected, bytesPercent, 0.01, toString());
    }

    boolean isComplete()
    {
        return files == filesExpected && bytes == bytesExpected;
    }

    /** All streams of an operation that a node remembers have ended well, and all that was expected was received or sent. */
    static void assertFulfilled(Cql cql, String operation)
    {
        List<Row> streams = cql.localRows("SELECT * FROM system_views.streaming");
        streams.removeIf(row -> !operation.equals(row.getString("operation")));
        assertTrue(streams.stream().anyMatch(row -> row.getLong("bytes_received") + row.getLong("bytes_sent") > 0), streams.toString());
        for (Row row : streams)
        {
            String shown = row.getFormattedContents();
            assertEquals("success", row.getString("status"), shown);
            assertEquals(100f, row.getFloat("progress_percentage"), shown);
            for (String what : List.of("bytes", "files"))
            {
                assertEquals(row.getLong(what + "_to_receive"), row.getLong(what + "_received"), shown);
                assertEquals(row.getLong(what + "_to_send"), row.getLong(what + "_sent"), shown);
            }
        }
    }

    @Override
    public String toString()
    {
        return String.format("%s %d of %d files (%s %%), %d of %d bytes (%s %%)", incoming ? "received" : "sent", files, filesExpected,
                             filesPercent, bytes, bytesExpected, bytesPercent);
    }
}
