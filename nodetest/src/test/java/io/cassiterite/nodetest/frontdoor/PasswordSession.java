/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

/** Sessions with a node that wants a password. Stateless. */
final class PasswordSession
{
    private static final int POLL_MILLIS = 100;
    private static final Duration BOUND = Duration.ofSeconds(60);

    private PasswordSession()
    {
    }

    /** As the role that Cassandra makes; it comes some seconds after the first start. */
    static CqlSession ofOperator(Node node)
    {
        return connect(node, "cassandra", "cassandra");
    }

    static CqlSession connect(Node node, String role, String password)
    {
        long end = System.nanoTime() + NativeAnswers.PATIENCE.toNanos();
        while (true)
        {
            try
            {
                return CqlSession.builder().addContactPoint(node.cqlAddress()).withLocalDatacenter("datacenter1")
                                 .withAuthCredentials(role, password).withConfigLoader(configuration()).build();
            }
            catch (DriverException e)
            {
                if (System.nanoTime() > end)
                    throw e;
                Pause.millis(POLL_MILLIS);
            }
        }
    }

    /** A machine that has other work answers late. */
    private static DriverConfigLoader configuration()
    {
        return DriverConfigLoader.programmaticBuilder().withDuration(DefaultDriverOption.REQUEST_TIMEOUT, BOUND)
                                 .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, BOUND)
                                 .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, BOUND)
                                 .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false).build();
    }
}
