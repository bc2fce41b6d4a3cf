/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.StreamOperation;
import org.apache.cassandra.streaming.StreamPlan;
import org.apache.cassandra.streaming.StreamSession;

import io.cassiterite.Await;
import io.cassiterite.OwnJvm;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * An export for a plan that never begins is deleted with the plan; ranges that one stream header cannot name are sent
 * in parts.
 */
@OwnJvm
class OutgoingShipmentTest
{
    private static final List<Range<Token>> ALL = List.of(new Range<>(new LongToken(Long.MIN_VALUE), new LongToken(Long.MAX_VALUE)));
    private static final int ROWS = 100;
    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final int POLL_MILLIS = 50;

    private final TableMetadata metadata = TableMetadata.builder("ks", "t", TableId.generate())
                                                        .partitioner(Murmur3Partitioner.instance)
                                                        .addPartitionKeyColumn("p", Int32Type.instance)
                                                        .addRegularColumn("v", Int32Type.instance)
                                                        .build();
    /** The streams of an unreachable session are released. */
    private final List<StreamSession> begun = new ArrayList<>();

    @Test
    void anExportGoesWithAPlanThatIsForgotten() throws Exception
    {
        try (Store store = TestMemtable.openStore("forgotten"))
        {
            Path exports = StoreFolders.outgoing(store);
            StreamPlan plan = prepared(filled(store));
            System.gc();
            Thread.sleep(POLL_MILLIS);
            assertEquals(1, count(exports), "a plan that may yet begin keeps its files");
            assertEquals("OPEN", state());
            assertFalse(plan.isEmpty());
            plan = null;
            Await.untilAsserted(BOUND, () -> {
                System.gc();
                assertEquals(0, count(exports), () -> exports + " still has files, " + state());
                assertEquals("FAILED", state());
            });
        }
    }

    @Test
    void anExportGoesOnceWithItsStreams() throws Exception
    {
        try (Store store = TestMemtable.openStore("finished"))
        {
            List<OutgoingStream> streams = OutgoingShipment.prepare(session(), metadata, filled(store), ALL);
            OutgoingStream last = streams.remove(streams.size() - 1);
            streams.forEach(OutgoingStream::finish);
            streams.forEach(OutgoingStream::finish);
            assertEquals(1, count(StoreFolders.outgoing(store)), "one stream is not over");
            last.finish();
            assertEquals(0, count(StoreFolders.outgoing(store)));
            assertEquals("FAILED", state());
        }
    }

    @Test
    void moreRangesThanAHeaderCanNameAreSeveralShipments() throws Exception
    {
        try (Store store = TestMemtable.openStore("parts"); Store peer = TestMemtable.openStore("parts-peer"))
        {
            Path exports = StoreFolders.outgoing(store);
            List<OutgoingStream> streams = OutgoingShipment.prepare(session(), metadata, filled(store),
                                                                    ranges(2 * StreamHeader.MAX_RANGES));
            assertEquals(2, count(exports));
            CassiteriteMemtable received = TestMemtable.open(peer, metadata);
            for (String shipment : exports.toFile().list())
                received.table().receive(exports.resolve(shipment).toString());
            for (int p = 0; p < ROWS; p++)
                assertNotNull(received.rowIterator(Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(p))), "row " + p);
            streams.forEach(OutgoingStream::finish);
        }
    }

    @Test
    void noPartStaysWhenALaterOneFails() throws Exception
    {
        try (Store store = TestMemtable.openStore("failed"))
        {
            Table table = filled(store);
            List<Range<Token>> ranges = ranges(StreamHeader.MAX_RANGES);
            ranges.add(null);
            assertThrows(NullPointerException.class, () -> OutgoingShipment.prepare(session(), metadata, table, ranges));
            assertEquals(0, count(StoreFolders.outgoing(store)));
            assertEquals("FAILED", state());
        }
    }

    private StreamSession session() throws IOException
    {
        StreamSession session = new StreamPlan(StreamOperation.DECOMMISSION).getCoordinator().getOrCreateOutboundSession(peer());
        begun.add(session);
        return session;
    }

    /** Of equal length, with a token between each two, over nearly all of the ring. */
    private static List<Range<Token>> ranges(int count)
    {
        long length = Long.MAX_VALUE / count * 2;
        List<Range<Token>> ranges = new ArrayList<>();
        for (int index = 0; index < count; index++)
        {
            long left = (index - count / 2) * length;
            ranges.add(new Range<>(new LongToken(left), new LongToken(left + length - 1)));
        }
        return ranges;
    }

    /** As Cassandra builds it, without executing it. */
    private StreamPlan prepared(Table table) throws IOException
    {
        StreamPlan plan = new StreamPlan(StreamOperation.DECOMMISSION);
        StreamSession session = plan.getCoordinator().getOrCreateOutboundSession(peer());
        plan.transferStreams(peer(), OutgoingShipment.prepare(session, metadata, table, ALL));
        return plan;
    }

    private static InetAddressAndPort peer() throws IOException
    {
        return InetAddressAndPort.getByName("127.0.0.9");
    }

    private Table filled(Store store)
    {
        CassiteriteMemtable memtable = TestMemtable.open(store, metadata);
        for (int p = 0; p < ROWS; p++)
        {
            PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, p).timestamp(1);
            update.row().add("v", p);
            TestMemtable.put(memtable, update.build());
        }
        return memtable.table();
    }

    /** Of the latest shipment. */
    private static String state()
    {
        String[] lines = StreamHistory.report().split("\n");
        int column = List.of(lines[0].split("\t")).indexOf("state_text");
        return lines[lines.length - 1].split("\t")[column];
    }

    private static int count(Path folder)
    {
        return folder.toFile().list().length;
    }
}
