/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** F11, F12: who may not read gets no native answer, and who may no longer gets none when Cassandra knows it. */
class RevocationTest
{
    private static final long VALIDITY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** For a slow machine; a grant that stayed would stay for ever. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final String SELECT = "SELECT v FROM guarded.t WHERE k = 1";

    private static Node node;
    private static CqlSession operator;
    private CqlSession reader;

    @BeforeAll
    static void start()
    {
        node = Node.named("revocation").frontDoor("reads").yaml("authenticator", "PasswordAuthenticator")
                   .yaml("authorizer", "CassandraAuthorizer").yaml("permissions_validity", "1000ms").yaml("roles_validity", "1000ms")
                   .start();
        operator = connect("cassandra", "cassandra");
        operator.execute("CREATE KEYSPACE guarded WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        operator.execute("CREATE TABLE guarded.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        operator.execute("INSERT INTO guarded.t (k, v) VALUES (1, 10)");
        node.log().await("Starting listening for CQL clients on .* through the front door", Duration.ofSeconds(30));
    }

    @BeforeEach
    void aReader()
    {
        operator.execute("DROP ROLE IF EXISTS reader");
        operator.execute("CREATE ROLE reader WITH PASSWORD = 'secret' AND LOGIN = true");
        operator.execute("GRANT SELECT ON guarded.t TO reader");
        reader = connect("reader", "secret");
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

    /** The default role comes some seconds after the first start. */
    private static CqlSession connect(String role, String password)
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true)
        {
            try
            {
                return CqlSession.builder().addContactPoint(node.cqlAddress()).withLocalDatacenter("datacenter1")
                                 .withAuthCredentials(role, password).build();
            }
            catch (DriverException e)
            {
                if (System.nanoTime() > end)
                    throw e;
            }
        }
    }

    private static long answered()
    {
        return operator.execute("SELECT count FROM cassiterite.front_door WHERE name = 'executes_answered'").one().getLong("count");
    }

    private boolean isNative(PreparedStatement select)
    {
        long before = answered();
        assertEquals(10, reader.execute(select.bind()).one().getInt("v"));
        return answered() > before;
    }

    private PreparedStatement hot()
    {
        PreparedStatement select = reader.prepare(SELECT);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!isNative(select))
            assertTrue(System.nanoTime() < end, "the door answers nothing");
        return select;
    }

    /** Reads until Cassandra refuses. */
    private void assertRefusedInTime(PreparedStatement select)
    {
        long end = System.nanoTime() + VALIDITY_NANOS + ROUND_NANOS + PATIENCE_NANOS;
        while (System.nanoTime() < end)
        {
            try
            {
                reader.execute(select.bind());
            }
            catch (UnauthorizedException | AllNodesFailedException e)
            {
                return;
            }
        }
        throw new AssertionError("still answered");
    }

    @Test
    void aRevokedPermissionEndsNativeAnswers()
    {
        PreparedStatement select = hot();
        operator.execute("REVOKE SELECT ON guarded.t FROM reader");
        assertRefusedInTime(select);
        long before = answered();
        for (int i = 0; i < 20; i++)
            assertThrows(UnauthorizedException.class, () -> reader.execute(select.bind()));
        assertEquals(before, answered());
        operator.execute("GRANT SELECT ON guarded.t TO reader");
    }

    @Test
    void aDroppedRoleGetsNoMoreAnswers()
    {
        PreparedStatement select = hot();
        operator.execute("DROP ROLE reader");
        assertRefusedInTime(select);
    }

    /** A role of another name, without the permission, uses the same statement. */
    @Test
    void theGrantOfOneRoleIsNoneOfAnother()
    {
        hot();
        operator.execute("CREATE ROLE IF NOT EXISTS stranger WITH PASSWORD = 'secret' AND LOGIN = true");
        try (CqlSession stranger = connect("stranger", "secret"))
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
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (isNative(select))
            assertTrue(System.nanoTime() < end, "still answered natively");
        for (int i = 0; i < 50; i++)
            assertFalse(isNative(select));
        setValidity(1_000);
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
