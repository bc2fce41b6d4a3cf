/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A port that takes TLS only: the door's where it can speak that as Cassandra would, and Netty's otherwise. */
@Tag("surface")
class TlsOnlyTest
{
    private static Node node(String name, ClientKeys keys, String... options)
    {
        return keys.on(FrameOracle.node(name, "reads").yaml(TlsTest.TLS_KEY, "on"), options).start();
    }

    @Test
    void theDoorSpeaksItAlone() throws IOException
    {
        ClientKeys keys = ClientKeys.create("tlsonlytest-keys", "EC");
        try (Node node = node("tlsonlytest", keys, "optional: false");
             CqlSession session = TlsTest.session(node.cqlAddress(), keys.trusting()))
        {
            session.execute("CREATE KEYSPACE tls WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            session.execute("CREATE TABLE tls.t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            session.execute("INSERT INTO tls.t (k, v) VALUES (1, 'one')");
            PreparedStatement select = session.prepare("SELECT v FROM tls.t WHERE k = ?");
            NativeAnswers answers = new NativeAnswers(session);
            long before = answers.count("executes_answered");
            awaitTrue("a native answer", () -> {
                assertEquals("one", session.execute(select.bind(1)).one().getString(0));
                return answers.count("executes_answered") > before;
            });
            assertTrue(answers.count("clients_tls") > 0);
            assertThrows(IOException.class, () -> plain(node));
            assertEquals(1, answers.count("clients_handed_over"), "who speaks no TLS is Netty's");
            changes(node, keys, answers);
        }
    }

    private static void plain(Node node) throws IOException
    {
        try (RawClient client = new RawClient("127.0.0.92", node.cqlAddress()))
        {
            client.startup();
        }
    }

    /** The port is bound anew, and who is there stays. */
    private static void changes(Node node, ClientKeys keys, NativeAnswers answers) throws IOException
    {
        TlsClient.Offer offer = new TlsClient.Offer(List.of("TLSv1.3"), null);
        try (Jmx jmx = node.jmx())
        {
            String agreed = TlsClient.agreed(node.cqlAddress(), keys.trusting(), offer);
            jmx.parameter("front_door_tls", "off");
            long before = answers.count("clients_accepted");
            assertEquals(agreed, TlsClient.agreed(node.cqlAddress(), keys.trusting(), offer));
            assertEquals(before, answers.count("clients_accepted"));
            jmx.parameter("front_door_tls", "on");
            assertEquals(agreed, TlsClient.agreed(node.cqlAddress(), keys.trusting(), offer));
            awaitTrue("the door accepts", () -> answers.count("clients_accepted") > before);
        }
    }

    @Test
    void clientsThatShowCertificatesAreNettys() throws IOException
    {
        ClientKeys keys = ClientKeys.create("tlsonlytest-mutual-keys", "RSA");
        SSLContext known = keys.identity();
        try (Node node = node("tlsonlytest-mutual", keys, "optional: false", "require_client_auth: true", keys.truststore());
             CqlSession session = TlsTest.session(node.cqlAddress(), known))
        {
            List<String> gates = new ArrayList<>();
            for (Row gate : session.execute("SELECT * FROM cassiterite.front_door_gates WHERE scope_name = 'tls'"))
                gates.add(gate.getString("gate_name") + ": " + gate.getString("reason_text"));
            assertEquals(1, gates.size(), gates::toString);
            assertTrue(gates.get(0).startsWith("CLIENT_AUTH: client_encryption_options has require_client_auth"), gates::toString);
            assertEquals(0, new NativeAnswers(session).count("clients_accepted"));
        }
    }
}
