/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.StockTransport;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.PATIENCE;
import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Clients that speak TLS with the front door learn nothing else than from a stock transport of the same node (F39). */
@Tag("surface")
class TlsTest
{
    private static final Logger logger = LoggerFactory.getLogger(TlsTest.class);

    static final String TLS_KEY = "memtable.configurations.cassiterite.parameters.front_door_tls";
    private static final String SSL = "org.apache.cassandra.net:type=MessagingService";

    private static ClientKeys keys;
    private static Node node;
    private static InetSocketAddress stock;

    @BeforeAll
    static void start()
    {
        keys = ClientKeys.create("tlstest-keys", "RSA");
        NodeBuilder builder = keys.on(FrameOracle.node("tlstest", "reads").yaml(TLS_KEY, "on"), "optional: true");
        stock = StockTransport.on(builder);
        node = builder.start();
        StockTransport.await(node, stock);
        try (Cql cql = node.cql())
        {
            cql.run("CREATE KEYSPACE tls WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            cql.run("CREATE TABLE tls.t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO tls.t (k, v) VALUES (1, 'one')");
        }
    }

    @AfterAll
    static void stop()
    {
        node.close();
    }

    static CqlSession session(InetSocketAddress address, SSLContext trust)
    {
        return CqlSession.builder().addContactPoint(address).withLocalDatacenter("datacenter1").withSslContext(trust)
                         .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                                                             .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                                                             .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, PATIENCE)
                                                             .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                                                             .build()).build();
    }

    private static long count(CqlSession observer, String counter)
    {
        return new NativeAnswers(observer).count(counter);
    }

    @Test
    void aDriverReadsNativelyThroughTls() throws IOException
    {
        try (CqlSession observer = session(stock, keys.trusting()); CqlSession session = session(node.cqlAddress(), keys.trusting()))
        {
            PreparedStatement select = session.prepare("SELECT v FROM tls.t WHERE k = ?");
            NativeAnswers answers = new NativeAnswers(observer);
            answers.await(() -> session.execute(select.bind(1)));
            assertEquals("one", session.execute(select.bind(1)).one().getString(0));
            assertTrue(count(observer, "clients_tls") > 0);
            assertEquals(List.of(), gates(observer));
        }
    }

    private static List<String> gates(CqlSession observer)
    {
        List<Row> rows = observer.execute("SELECT gate_name FROM cassiterite.front_door_gates WHERE scope_name = 'tls'").all();
        List<String> names = new ArrayList<>();
        rows.forEach(row -> names.add(row.getString(0)));
        return names;
    }

    /** The suites that the door has, those that only BoringSSL has, and those that neither has. */
    @Test
    void everyOfferComesToTheSame() throws IOException
    {
        List<TlsClient.Offer> offers = offers();
        for (TlsClient.Offer offer : offers)
        {
            String wanted = TlsClient.agreed(stock, keys.trusting(), offer);
            assertEquals(wanted, TlsClient.agreed(node.cqlAddress(), keys.trusting(), offer), offer::toString);
            logger.info("{}: {}", offer, wanted);
        }
        SSLContext stranger = ClientKeys.create("tlstest-other-keys", "RSA").trusting();
        String refused = TlsClient.agreed(stock, stranger, offers.get(0));
        assertTrue(refused.contains("PKIX"), refused);
        assertEquals(refused, TlsClient.agreed(node.cqlAddress(), stranger, offers.get(0)));
        assertThrows(AllNodesFailedException.class, () -> session(node.cqlAddress(), stranger).close());
    }

    private static List<TlsClient.Offer> offers()
    {
        List<String> both = List.of("TLSv1.2", "TLSv1.3");
        List<String> only12 = List.of("TLSv1.2");
        List<String> only13 = List.of("TLSv1.3");
        List<TlsClient.Offer> offers = new ArrayList<>(List.of(
            new TlsClient.Offer(both, null), new TlsClient.Offer(only12, null), new TlsClient.Offer(only13, null),
            new TlsClient.Offer(only13, List.of("TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256")),
            new TlsClient.Offer(only13, List.of("TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_256_GCM_SHA384")),
            new TlsClient.Offer(only13, List.of("TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256")),
            new TlsClient.Offer(only12, List.of("TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"))));
        for (String suite : ((SSLSocketFactory) SSLSocketFactory.getDefault()).getDefaultCipherSuites())
            if (!suite.startsWith("TLS_EMPTY") && suite.contains("_WITH_"))
                offers.add(new TlsClient.Offer(only12, List.of(suite)));
        return offers;
    }

    /** As it does of clients with which Netty speaks TLS. */
    @Test
    void cassandraKnowsOnWhatTheyHaveAgreed() throws IOException
    {
        List<TlsClient.Offer> offers = offers().subList(0, 6);
        try (Jmx jmx = node.jmx(); Cql cql = node.cql())
        {
            List<String> known = new ArrayList<>();
            for (TlsClient.Offer offer : offers)
                known.add(shown(cql, offer));
            logger.info("Cassandra knows of clients of the door: {}", known);
            jmx.parameter("front_door_tls", "off");
            for (int i = 0; i < offers.size(); i++)
                assertEquals(shown(cql, offers.get(i)), known.get(i), offers.get(i)::toString);
            jmx.parameter("front_door_tls", "on");
            try (RawClient client = new RawClient("127.0.0.91", node.cqlAddress()))
            {
                client.startup();
                assertEquals("false null null", tlsOf(cql, client.port()));
            }
        }
    }

    /** A client that has begun, as Cassandra shows it. */
    private static String shown(Cql cql, TlsClient.Offer offer) throws IOException
    {
        try (RawClient client = new RawClient(node.cqlAddress(), keys.trusting(), offer))
        {
            client.startup();
            String shown = tlsOf(cql, client.port());
            String address = "/127.0.0.1:" + client.port();
            String line = node.nodetool("clientstats", "--all").success().lines().filter(each -> each.contains(address + ' '))
                              .findFirst().orElseThrow();
            // Address, whether it is TLS, suite, protocol.
            return shown + " " + String.join(" ", Arrays.asList(line.trim().split(" +")).subList(1, 4));
        }
    }

    private static String tlsOf(Cql cql, int port)
    {
        Row seen = cql.rows("SELECT ssl_enabled, ssl_protocol, ssl_cipher_suite FROM system_views.clients WHERE port = " + port
                            + " ALLOW FILTERING").get(0);
        return seen.getBoolean(0) + " " + seen.getString(1) + ' ' + seen.getString(2);
    }

    @Test
    void framesAreTheSame() throws IOException
    {
        SSLSocketFactory trusting = keys.trusting().getSocketFactory();
        try (Cql cql = node.cql(); Replicas replicas = Replicas.of(node, "reads");
             TlsRelay door = new TlsRelay(node.cqlAddress(), trusting); TlsRelay own = new TlsRelay(stock, trusting))
        {
            long before = new NativeAnswers(cql.session()).count("clients_tls");
            FrameOracle oracle = new FrameOracle(node, replicas, door.address(), own.address(), TwinConnection.Fault.NONE,
                                                 "oracle-frames-tls", logger::info);
            oracle.run(Long.getLong("oracle.seed", 7001), Long.getLong("oracle.seconds", 40));
            logger.info(oracle.tally().report());
            assertEquals(0, oracle.findings().size(), () -> String.join("\n", oracle.findings()));
            assertTrue(oracle.tally().total() > 30, oracle.tally().report());
            assertTrue(oracle.report().answered() > 0, () -> oracle.report().toString());
            assertTrue(new NativeAnswers(cql.session()).count("clients_tls") > before);
        }
    }

    @Test
    void whatIsNoTlsIsAnsweredAsStockDoes() throws IOException
    {
        try (RawClient client = new RawClient("127.0.0.90", node.cqlAddress()))
        {
            client.startup();
            client.query("SELECT key FROM system.local");
        }
    }

    /** F39: who comes afterwards sees the new certificate, and who is there stays. */
    @Test
    void anotherKeyIsShownOnceCassandraHasLoadedIt() throws IOException
    {
        try (Jmx jmx = node.jmx(); CqlSession early = session(node.cqlAddress(), keys.trusting());
             CqlSession observer = session(stock, keys.trusting()))
        {
            PreparedStatement select = early.prepare("SELECT v FROM tls.t WHERE k = ?");
            new NativeAnswers(observer).await(() -> early.execute(select.bind(1)));
            SSLContext old = keys.trusting();
            for (String algorithm : List.of("EC", "RSA"))
            {
                SSLContext renewed = keys.renew(algorithm);
                jmx.invoke(SSL, "reloadSslCertificates", new Object[0], new String[0]);
                TlsClient.Offer offer = offers().get(0);
                String wanted = TlsClient.agreed(stock, renewed, offer);
                assertTrue(wanted.startsWith("TLSv1.3"), wanted);
                long before = count(observer, "clients_tls");
                awaitTrue("the door shows the new key", () -> agreed(renewed, offer).equals(wanted));
                awaitTrue("the door itself does", () -> agreed(renewed, offer).equals(wanted) && count(observer, "clients_tls") > before);
                assertEquals(TlsClient.agreed(stock, old, offer), agreed(old, offer));
                for (TlsClient.Offer other : offers())
                    assertEquals(TlsClient.agreed(stock, renewed, other), agreed(renewed, other), other::toString);
            }
            assertEquals("one", early.execute(select.bind(1)).one().getString(0));
            assertEquals(List.of(), gates(observer));
        }
    }

    private static String agreed(SSLContext trust, TlsClient.Offer offer)
    {
        try
        {
            return TlsClient.agreed(node.cqlAddress(), trust, offer);
        }
        catch (IOException e)
        {
            return e.toString();
        }
    }

    /** New clients are Netty's, and those that are there stay the door's. */
    @Test
    void theOptionChangesWhileTheNodeRuns() throws IOException
    {
        try (Jmx jmx = node.jmx(); Cql cql = node.cql(); CqlSession session = session(node.cqlAddress(), keys.trusting()))
        {
            jmx.parameter("front_door_tls", "off");
            long before = new NativeAnswers(cql.session()).count("clients_tls");
            TlsClient.Offer offer = offers().get(0);
            assertEquals(TlsClient.agreed(stock, keys.trusting(), offer), TlsClient.agreed(node.cqlAddress(), keys.trusting(), offer));
            assertEquals(before, new NativeAnswers(cql.session()).count("clients_tls"));
            assertEquals("one", session.execute("SELECT v FROM tls.t WHERE k = 1").one().getString(0));
            jmx.parameter("front_door_tls", "on");
            assertEquals(TlsClient.agreed(stock, keys.trusting(), offer), TlsClient.agreed(node.cqlAddress(), keys.trusting(), offer));
            awaitTrue("the door speaks TLS", () -> new NativeAnswers(cql.session()).count("clients_tls") > before);
        }
    }
}
