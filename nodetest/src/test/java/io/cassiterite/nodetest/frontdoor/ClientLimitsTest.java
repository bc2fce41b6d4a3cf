/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import com.datastax.oss.driver.api.core.CqlSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.StockTransport;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * F1, F11, F22: what Cassandra logs, refuses and limits by client is the same for clients of the front door and of a stock
 * transport of the same node, also for a statement that the door answers itself.
 */
@Tag("surface")
class ClientLimitsTest
{
    private static final String STORAGE_SERVICE = "org.apache.cassandra.db:type=StorageService";
    private static final String SELECT = "SELECT v FROM limited.t WHERE k = 1";
    private static final String FAILING = "SELECT nothing FROM limited.t";
    private static final String HOME = "127.0.0.71";
    private static final String AWAY = "127.0.0.72";
    private static final int IN_FLIGHT_BYTES = 128 << 10;
    private static final int FEW_BYTES = 8 << 10;
    private static final int TRIES = 50;

    private static Node node;
    private static InetSocketAddress stock;
    private static CqlSession operator;
    private static NativeAnswers answers;

    @BeforeAll
    static void start()
    {
        NodeBuilder builder = Node.named("clientlimits").frontDoor("reads").yaml("authenticator", "PasswordAuthenticator")
                                  .yaml("authorizer", "CassandraAuthorizer").yaml("roles_validity", "1000ms")
                                  .yaml("permissions_validity", "1000ms")
                                  .yaml("cidr_authorizer", "{class_name: CassandraCIDRAuthorizer, parameters: "
                                                           + "{cidr_authorizer_mode: ENFORCE}}");
        stock = StockTransport.on(builder);
        node = builder.start();
        StockTransport.await(node, stock);
        operator = PasswordSession.ofOperator(node);
        answers = new NativeAnswers(operator);
        node.nodetool("updatecidrgroup", "home", HOME + "/32").success();
        node.nodetool("updatecidrgroup", "away", AWAY + "/32").success();
        node.nodetool("reloadcidrgroupscache").success();
        operator.execute("CREATE KEYSPACE limited WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        operator.execute("CREATE TABLE limited.t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        operator.execute("INSERT INTO limited.t (k, v) VALUES (1, 'one')");
        operator.execute("CREATE TABLE limited.texts (k text PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
    }

    @AfterAll
    static void close()
    {
        if (operator != null)
            operator.close();
        if (node != null)
            node.close();
    }

    @BeforeEach
    void aReaderFromAnywhere()
    {
        operator.execute("DROP ROLE IF EXISTS reader");
        operator.execute("CREATE ROLE reader WITH PASSWORD = 'secret' AND LOGIN = true AND ACCESS FROM ALL CIDRS");
        operator.execute("GRANT SELECT ON KEYSPACE limited TO reader");
        operator.execute("GRANT MODIFY ON limited.t TO reader");
    }

    private static RawClient client(String from, InetSocketAddress transport, boolean throwing) throws IOException
    {
        RawClient client = new RawClient(from, transport);
        client.login("reader", "secret", throwing);
        return client;
    }

    /** A role of the same name was dropped before: Cassandra may still refuse what it was refused. */
    private static RawClient readingNatively(String from, boolean throwing) throws IOException
    {
        RawClient client = client(from, node.cqlAddress(), throwing);
        byte[] id = client.prepare(SELECT);
        answers.await(() -> client.execute(id));
        assertFalse(client.execute(id).isError());
        return client;
    }

    @Test
    void theAuditLogHasTheClientsOwnAddress() throws IOException
    {
        try (RawClient hot = readingNatively(HOME, false); RawClient other = client(HOME, stock, false))
        {
            node.nodetool("enableauditlog", "--logger", "FileAuditLogger").success();
            try
            {
                List<String> ofDoor = audited(hot);
                assertEquals(audited(other), ofDoor);
                for (String line : ofDoor)
                    assertTrue(line.contains("user:reader|") && line.contains("|source:/" + HOME + '|'), line);
            }
            finally
            {
                node.nodetool("disableauditlog").success();
            }
        }
    }

    /** @return what the log has of some requests of the client, ports and times aside */
    private static List<String> audited(RawClient client) throws IOException
    {
        byte[] id = client.prepare(SELECT);
        assertFalse(client.execute(id).isError());
        assertFalse(client.request(SELECT).isError());
        assertTrue(client.request(FAILING).isError());
        String own = "user:.*\\|port:" + client.port() + "\\|";
        awaitTrue("the last request is logged", () -> !node.log().grep(own + ".*" + FAILING).isEmpty());
        List<String> lines = node.log().grep(own).stream()
                                 .map(line -> line.replaceAll(".*(user:)", "$1").replaceAll("\\|(port|timestamp):\\d+", "")).toList();
        assertEquals(4, lines.size(), lines::toString);
        return lines;
    }

    /** Cassandra decides at each statement; the login is free. */
    @Test
    void addressesThatARoleMayNotComeFromGetNoNativeAnswers() throws IOException
    {
        try (RawClient home = readingNatively(HOME, false); RawClient away = readingNatively(AWAY, false);
             RawClient stockAway = client(AWAY, stock, false); RawClient stockHome = client(HOME, stock, false))
        {
            byte[] id = home.prepare(SELECT);
            stockAway.prepare(SELECT);
            operator.execute("ALTER ROLE reader WITH ACCESS FROM CIDRS {'home'}");
            assertOnlyOneMay(home, away, stockAway, id);
            operator.execute("ALTER ROLE reader WITH ACCESS FROM CIDRS {'away'}");
            assertOnlyOneMay(away, home, stockHome, id);
            try (RawClient late = client(HOME, node.cqlAddress(), false))
            {
                assertEquals(stockHome.execute(id), late.execute(id));
            }
        }
    }

    /** @param stockOther comes from the same address as {@code other} */
    private static void assertOnlyOneMay(RawClient one, RawClient other, RawClient stockOther, byte[] id) throws IOException
    {
        awaitTrue("Cassandra refuses", () -> isRefused(other, id) && isRefused(stockOther, id));
        answers.await(() -> one.execute(id));
        long before = answers.answered();
        for (int i = 0; i < TRIES; i++)
            assertEquals(stockOther.execute(id), other.execute(id));
        assertTrue(isRefused(other, id));
        assertEquals(before, answers.answered());
    }

    private static boolean isRefused(RawClient client, byte[] id)
    {
        try
        {
            RawClient.Reply reply = client.execute(id);
            return reply.isError() && reply.text().contains("You do not have access from this IP");
        }
        catch (IOException e)
        {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void tooManyBytesInFlightAreRefusedAlike() throws IOException
    {
        String large = "INSERT INTO limited.t (k, v) VALUES (2, '" + "x".repeat(2 * IN_FLIGHT_BYTES) + "')";
        try (RawClient door = readingNatively(HOME, true); RawClient other = client(HOME, stock, true);
             RawClient waiting = readingNatively(AWAY, false); RawClient otherWaiting = client(AWAY, stock, false))
        {
            long before = inFlight(IN_FLIGHT_BYTES);
            try
            {
                RawClient.Reply refusal = other.request(large);
                assertTrue(refusal.isError() && refusal.text().contains("limit on bytes in flight"), refusal.text());
                assertEquals(refusal, door.request(large));
                assertEquals(otherWaiting.request(large), waiting.request(large));
                byte[] id = door.prepare(SELECT);
                assertEquals(other.execute(other.prepare(SELECT)), door.execute(id));
                answers.await(() -> door.execute(id));
            }
            finally
            {
                inFlight(before);
            }
        }
    }

    /** The door itself would answer it. */
    @Test
    void aReadOfMoreBytesThanMayBeInFlightIsRefusedAlike() throws IOException
    {
        byte[] key = "k".repeat(2 * FEW_BYTES).getBytes(StandardCharsets.US_ASCII);
        try (RawClient door = client(HOME, node.cqlAddress(), true); RawClient other = client(HOME, stock, true))
        {
            byte[] id = door.prepare("SELECT v FROM limited.texts WHERE k = ?");
            other.prepare("SELECT v FROM limited.texts WHERE k = ?");
            answers.await(() -> door.execute(id, key));
            long before = inFlight(FEW_BYTES);
            try
            {
                RawClient.Reply refusal = other.execute(id, key);
                assertTrue(refusal.isError() && refusal.text().contains("limit on bytes in flight"), refusal.text());
                assertEquals(refusal, door.execute(id, key));
            }
            finally
            {
                inFlight(before);
            }
            answers.await(() -> door.execute(id, key));
        }
    }

    /** Sets what the requests of one address may have in flight. @return what was set before */
    private static long inFlight(long bytes)
    {
        try (Jmx jmx = node.jmx())
        {
            long before = (Long) jmx.attribute(STORAGE_SERVICE, "NativeTransportMaxConcurrentRequestsInBytesPerIp");
            jmx.set(STORAGE_SERVICE, "NativeTransportMaxConcurrentRequestsInBytesPerIp", bytes);
            return before;
        }
    }

    /** One limit for all clients: what one transport lets pass, the other has less of. */
    @Test
    void tooManyRequestsPerSecondAreRefusedAlike() throws IOException
    {
        try (RawClient door = readingNatively(HOME, true); RawClient other = client(HOME, stock, true); Jmx jmx = node.jmx())
        {
            byte[] id = door.prepare(SELECT);
            other.prepare(SELECT);
            int before = (Integer) jmx.attribute(STORAGE_SERVICE, "NativeTransportMaxRequestsPerSecond");
            jmx.set(STORAGE_SERVICE, "NativeTransportMaxRequestsPerSecond", 1);
            jmx.set(STORAGE_SERVICE, "NativeTransportRateLimitingEnabled", true);
            List<RawClient.Reply> refusals;
            try
            {
                refusals = List.of(refusal(other, id), refusal(door, id));
            }
            finally
            {
                jmx.set(STORAGE_SERVICE, "NativeTransportRateLimitingEnabled", false);
                jmx.set(STORAGE_SERVICE, "NativeTransportMaxRequestsPerSecond", before);
            }
            assertTrue(refusals.get(0).text().contains("limit of 1 requests/second"), refusals.get(0).text());
            assertEquals(refusals.get(0), refusals.get(1));
            answers.await(() -> door.execute(id));
        }
    }

    private static RawClient.Reply refusal(RawClient client, byte[] id) throws IOException
    {
        List<RawClient.Reply> replies = new ArrayList<>();
        for (int i = 0; i < TRIES; i++)
            replies.add(client.execute(id));
        return replies.stream().filter(RawClient.Reply::isError).findFirst().orElseThrow();
    }
}
