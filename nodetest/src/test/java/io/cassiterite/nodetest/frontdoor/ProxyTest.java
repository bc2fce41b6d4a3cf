/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.PATIENCE;
import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Clients whose sockets are the front door's are to Cassandra what its own are, in all that an operator does. */
@Tag("surface")
@NodeTest(own = true, yaml = { "memtable.configurations.cassiterite.parameters.front_door: proxy",
                               "native_transport_max_concurrent_connections_per_ip: 16" })
class ProxyTest
{
    /** More than the drivers of this class have, also while a closed one is still known. */
    private static final int PER_ADDRESS = 16;
    private static final int LARGE_BYTES = 3 << 20;

    /** Clients that came before would stay with Netty. */
    @BeforeAll
    static void theDoorOpensBeforeTheFirstEngineTable(Node node)
    {
        node.log().await("Starting listening for CQL clients on .* through the front door", PATIENCE);
        try (Cql cql = node.cql("proxytest"))
        {
            cql.run("CREATE TABLE t (k int PRIMARY KEY, v blob) WITH memtable = 'cassiterite'");
        }
    }

    @Test
    void cassandraKnowsWhereAClientComesFrom(Node node, Cql cql) throws IOException
    {
        try (RawClient client = new RawClient("127.0.0.77", node.cqlAddress()))
        {
            client.startup();
            List<Row> seen = cql.rows("SELECT port FROM system_views.clients WHERE address = '127.0.0.77'");
            assertEquals(List.of(client.port()), seen.stream().map(row -> row.getInt("port")).toList());
            assertTrue(node.nodetool("clientstats", "--all").success().contains("/127.0.0.77:" + client.port()));
        }
    }

    /** F1: behind one loopback address all clients would share one limit. */
    @Test
    void theLimitPerAddressCountsClientsByTheirOwn(Node node) throws IOException
    {
        List<RawClient> clients = new ArrayList<>();
        try (RawClient other = new RawClient("127.0.0.79", node.cqlAddress()))
        {
            for (int i = 0; i < PER_ADDRESS; i++)
                clients.add(new RawClient("127.0.0.78", node.cqlAddress()));
            for (RawClient client : clients)
                client.options();
            try (RawClient tooMany = new RawClient("127.0.0.78", node.cqlAddress()))
            {
                assertTrue(tooMany.isRefused());
            }
            other.options();
        }
        finally
        {
            clients.forEach(RawClient::close);
        }
    }

    @ParameterizedTest
    @EnumSource(value = DefaultProtocolVersion.class, names = { "V3", "V4", "V5" })
    void largeRequestsAndResultsPassInEveryProtocolVersion(DefaultProtocolVersion version, Node node)
    {
        byte[] large = new byte[LARGE_BYTES];
        for (int i = 0; i < LARGE_BYTES; i++)
            large[i] = (byte) (i * 31 + i / 251);
        try (Cql cql = node.cql("proxytest", version))
        {
            cql.run("INSERT INTO t (k, v) VALUES (?, ?)", version.getCode(), ByteBuffer.wrap(large));
            ByteBuffer read = cql.rows("SELECT v FROM t WHERE k = ?", version.getCode()).get(0).getByteBuffer("v");
            assertEquals(ByteBuffer.wrap(large), read);
        }
    }

    @Test
    void requestsPassHoweverTheirBytesAreCut(Node node) throws IOException
    {
        byte[] options = RawClient.optionsEnvelope();
        try (RawClient client = new RawClient("127.0.0.80", node.cqlAddress()))
        {
            client.startup();
            byte[] whole = client.query("SELECT cql_version FROM system.local");
            for (int cut = 1; cut < options.length; cut++)
            {
                client.write(options, 0, cut);
                client.write(options, cut, options.length - cut);
                client.expect(RawClient.SUPPORTED);
            }
            assertArrayEquals(whole, client.query("SELECT cql_version FROM system.local"));
        }
    }

    @Test
    void eventsReachTheirClients(Node node, Cql cql) throws IOException
    {
        try (RawClient client = new RawClient("127.0.0.81", node.cqlAddress()))
        {
            client.startup();
            client.register("SCHEMA_CHANGE");
            cql.run("CREATE TABLE announced (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
            assertTrue(new String(client.expect(RawClient.EVENT)).contains("announced"));
        }
    }

    @Test
    void theTransportStopsAndStarts(Node node, Cql cql) throws IOException
    {
        try (RawClient client = new RawClient("127.0.0.82", node.cqlAddress()))
        {
            client.startup();
            node.nodetool("disablebinary").success();
            assertTrue(client.isRefused());
        }
        assertTrue(node.nodetool("statusbinary").success().contains("not running"));
        assertThrows(ConnectException.class, () -> new RawClient("127.0.0.82", node.cqlAddress()).close());
        node.nodetool("enablebinary").success();
        try (RawClient client = new RawClient("127.0.0.82", node.cqlAddress()))
        {
            client.options();
        }
        awaitTrue("the session of the class has connected again", () -> isAnswered(cql));
    }

    private static boolean isAnswered(Cql cql)
    {
        try
        {
            cql.rows("SELECT key FROM system.local");
            return true;
        }
        catch (DriverException e)
        {
            return false;
        }
    }

    @Test
    void theModeChangesWhileClientsAreConnected(Node node) throws IOException
    {
        try (Jmx jmx = node.jmx(); RawClient before = new RawClient("127.0.0.83", node.cqlAddress()))
        {
            before.startup();
            jmx.parameter("front_door", "off");
            try (RawClient stock = new RawClient("127.0.0.83", node.cqlAddress()))
            {
                stock.startup();
                before.query("SELECT key FROM system.local");
                jmx.parameter("front_door", "proxy");
                stock.query("SELECT key FROM system.local");
            }
            before.query("SELECT key FROM system.local");
            try (RawClient after = new RawClient("127.0.0.83", node.cqlAddress()))
            {
                after.options();
            }
        }
        node.log().await("The front door is off", PATIENCE);
    }

    /** The driver may connect beside it. */
    @Test
    void theDoorCountsWhatPasses(Node node, Cql cql) throws IOException
    {
        NativeAnswers door = new NativeAnswers(cql.session());
        long accepted = door.count("clients_accepted");
        long bytes = door.count("bytes_to_clients");
        long options = door.count("requests_options");
        long opaque = door.count("clients_opaque");
        try (RawClient client = new RawClient("127.0.0.84", node.cqlAddress()))
        {
            client.options();
            assertTrue(door.count("clients_accepted") > accepted);
        }
        awaitTrue("the bytes are counted", () -> door.count("bytes_to_clients") > bytes);
        awaitTrue("the request is counted", () -> door.count("requests_options") > options);
        assertEquals(opaque, door.count("clients_opaque"));
    }

    @ParameterizedTest
    @EnumSource(value = DefaultProtocolVersion.class, names = { "V3", "V4", "V5" })
    void theRequestsOfDriversAreCounted(DefaultProtocolVersion version, Node node, Cql cql)
    {
        int requests = 50;
        NativeAnswers door = new NativeAnswers(cql.session());
        // A driver that may choose the version begins with one that the door does not know.
        long opaque = door.count("clients_opaque");
        try (Cql other = node.cql("proxytest", version))
        {
            long executed = door.count("requests_execute");
            for (int k = 0; k < requests; k++)
                other.run("INSERT INTO t (k, v) VALUES (?, ?)", 100 + k, ByteBuffer.allocate(k * 10_000));
            awaitTrue("all are counted", () -> door.count("requests_execute") >= executed + requests);
            assertEquals(executed + requests, door.count("requests_execute"));
        }
        assertEquals(opaque, door.count("clients_opaque"));
    }
}
