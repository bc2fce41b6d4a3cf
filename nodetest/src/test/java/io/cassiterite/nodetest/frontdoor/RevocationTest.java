/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** F11, F12: who may not read gets no native answer, and who may no longer gets none when Cassandra knows it. */
class RevocationTest
{
    private static final String VALIDITY = "1000ms";
    private static final String SELECT = "SELECT v FROM guarded.t WHERE k = 1";

    private static Node node;
    private static CqlSession operator;
    private static NativeAnswers answers;
    private CqlSession reader;

    @BeforeAll
    static void start()
    {
        node = Node.named("revocation").frontDoor("reads").yaml("authenticator", "PasswordAuthenticator")
                   .yaml("authorizer", "CassandraAuthorizer").yaml("permissions_validity", VALIDITY).yaml("roles_validity", VALIDITY)
                   .start();
        operator = PasswordSession.ofOperator(node);
        answers = new NativeAnswers(operator);
        operator.execute("CREATE KEYSPACE guarded WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        operator.execute("CREATE TABLE guarded.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        operator.execute("INSERT INTO guarded.t (k, v) VALUES (1, 10)");
        node.log().await("Starting listening for CQL clients on .* through the front door", NativeAnswers.PATIENCE);
    }

    @BeforeEach
    void aReader()
    {
        operator.execute("DROP ROLE IF EXISTS reader");
        operator.execute("CREATE ROLE reader WITH PASSWORD = 'secret' AND LOGIN = true");
        operator.execute("GRANT SELECT ON guarded.t TO reader");
        reader = PasswordSession.connect(node, "reader", "secret");
    }

    @AfterAll
    static void close()
    {
        operator.close();
        node.close();
    }

    @AfterEach
    void closeReader()
    {
        reader.close();
    }

    private void read(PreparedStatement select)
    {
        assertEquals(10, reader.execute(select.bind()).one().getInt("v"));
    }

    /** Of a role that had the name before, Cassandra may have a refusal in its cache. */
    private PreparedStatement hot()
    {
        PreparedStatement select = reader.prepare(SELECT);
        awaitTrue("the reader may read", () -> !isRefused(() -> read(select)));
        answers.await(() -> read(select));
        return select;
    }

    private static boolean isRefused(Runnable request)
    {
        try
        {
            request.run();
            return false;
        }
        catch (UnauthorizedException | AllNodesFailedException e)
        {
            return true;
        }
    }

    /** Reads until Cassandra refuses; a grant that stayed would stay for ever. */
    private void awaitRefusal(PreparedStatement select)
    {
        awaitTrue("Cassandra refuses", () -> isRefused(() -> reader.execute(select.bind())));
    }

    @Test
    void aRevokedPermissionEndsNativeAnswers()
    {
        PreparedStatement select = hot();
        operator.execute("REVOKE SELECT ON guarded.t FROM reader");
        awaitRefusal(select);
        long before = answers.answered();
        for (int i = 0; i < 20; i++)
            assertThrows(UnauthorizedException.class, () -> reader.execute(select.bind()));
        assertEquals(before, answers.answered());
        operator.execute("GRANT SELECT ON guarded.t TO reader");
    }

    @Test
    void aDroppedRoleGetsNoMoreAnswers()
    {
        PreparedStatement select = hot();
        operator.execute("DROP ROLE reader");
        awaitRefusal(select);
    }

    /** A role of another name, without the permission, uses the same statement. */
    @Test
    void theGrantOfOneRoleIsNoneOfAnother()
    {
        hot();
        operator.execute("CREATE ROLE IF NOT EXISTS stranger WITH PASSWORD = 'secret' AND LOGIN = true");
        try (CqlSession stranger = PasswordSession.connect(node, "stranger", "secret"))
        {
            PreparedStatement select = stranger.prepare(SELECT);
            for (int i = 0; i < 100; i++)
                assertThrows(UnauthorizedException.class, () -> stranger.execute(select.bind()));
        }
    }

    /** Operators who set 0 want each request decided. */
    @Test
    void withoutValidityNothingIsNative()
    {
        PreparedStatement select = hot();
        setValidity(0);
        try
        {
            awaitTrue("the gate is closed", () -> answers.gates().contains("PERMISSIONS_NOT_CACHED"));
            for (int i = 0; i < 50; i++)
                assertFalse(answers.isNative(() -> read(select)));
        }
        finally
        {
            setValidity(1_000);
        }
        hot();
    }

    private static void setValidity(int millis)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.set("org.apache.cassandra.auth:type=PermissionsCache", "Validity", millis);
        }
    }
}
