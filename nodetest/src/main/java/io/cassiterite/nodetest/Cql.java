/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.internal.core.connection.ExponentialReconnectionPolicy;
import com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator;

/**
 * CQL to one node through the Apache Java driver. Timestamps come from the node, so they follow its clock; requests are
 * not retried on their own. Thread-safe.
 */
public final class Cql implements AutoCloseable
{
    private static final int IN_FLIGHT = 64;
    /** Of a connection; beyond them, the driver refuses. */
    private static final int REQUESTS_MAX = 8192;
    private static final Duration REQUEST_BOUND = Duration.ofSeconds(90);
    /** After a schema change: the next statement may go to another node. Within the bound of the request, which waits for it. */
    private static final Duration AGREEMENT_BOUND = Duration.ofSeconds(60);
    private static final Duration CONNECT_BOUND = Duration.ofSeconds(60);
    private static final Duration RECONNECTION_BOUND = Duration.ofSeconds(120);

    private final CqlSession session;
    private final InetSocketAddress address;

    private Cql(CqlSession session, InetSocketAddress address)
    {
        this.session = session;
        this.address = address;
    }

    static Cql connect(InetSocketAddress node, String keyspace)
    {
        return connect(node, keyspace, null);
    }

    /** @param protocol null for the newest that both sides speak */
    static Cql connect(InetSocketAddress node, String keyspace, ProtocolVersion protocol)
    {
        CqlSessionBuilder builder = CqlSession.builder()
                                              .addContactPoint(node)
                                              .withLocalDatacenter("datacenter1")
                                              .withConfigLoader(configuration(protocol));
        if (keyspace != null)
            builder.withKeyspace(CqlIdentifier.fromCql(keyspace));
        return new Cql(builder.build(), node);
    }

    private static DriverConfigLoader configuration(ProtocolVersion protocol)
    {
        ProgrammaticDriverConfigLoaderBuilder builder = DriverConfigLoader.programmaticBuilder();
        if (protocol != null)
            builder.withString(DefaultDriverOption.PROTOCOL_VERSION, protocol.name());
        return builder
                                 .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, REQUEST_BOUND)
                                 .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, CONNECT_BOUND)
                                 .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, CONNECT_BOUND)
                                 .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, CONNECT_BOUND)
                                 .withDuration(DefaultDriverOption.CONTROL_CONNECTION_AGREEMENT_TIMEOUT, AGREEMENT_BOUND)
                                 .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, CONNECT_BOUND)
                                 .withInt(DefaultDriverOption.CONNECTION_MAX_REQUESTS, REQUESTS_MAX)
                                 .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                                 .withBoolean(DefaultDriverOption.METADATA_TOKEN_MAP_ENABLED, false)
                                 .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                                 .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                                 .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                                 .withClass(DefaultDriverOption.TIMESTAMP_GENERATOR_CLASS,
                                            ServerSideTimestampGenerator.class)
                                 .withClass(DefaultDriverOption.RECONNECTION_POLICY_CLASS,
                                            ExponentialReconnectionPolicy.class)
                                 .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(200))
                                 .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(1))
                                 .build();
    }

    /** Runs a statement. With values it is prepared, so that the values are coded by the columns' types. */
    public ResultSet run(String cql, Object... values)
    {
        Statement<?> statement = values.length == 0 ? SimpleStatement.newInstance(cql)
                                                    : session.prepare(cql).bind(values);
        return session.execute(statement);
    }

    /** Runs a prepared statement for each of the numbers, many at a time and in no order. @param values those of a number */
    public void runEach(String cql, IntStream numbers, IntFunction<Object[]> values)
    {
        PreparedStatement statement = session.prepare(cql);
        Semaphore free = new Semaphore(IN_FLIGHT);
        List<CompletableFuture<AsyncResultSet>> running = new ArrayList<>();
        numbers.forEach(number -> {
            free.acquireUninterruptibly();
            CompletableFuture<AsyncResultSet> one = session.executeAsync(statement.bind(values.apply(number))).toCompletableFuture();
            running.add(one.whenComplete((result, failure) -> free.release()));
        });
        running.forEach(CompletableFuture::join);
    }

    /** Waits for the driver, which connects to the node of this connection again by itself some time after its restart. */
    public void awaitReconnection()
    {
        Await.until("the driver has connected again", RECONNECTION_BOUND, this::isConnected);
    }

    private boolean isConnected()
    {
        try
        {
            localRows("SELECT key FROM system.local");
            return true;
        }
        catch (DriverException e)
        {
            return false;
        }
    }

    /** @return all rows, of all pages */
    public List<Row> rows(String cql, Object... values)
    {
        return run(cql, values).all();
    }

    /** @return all rows as the node of this connection answers, as virtual tables need it; otherwise the driver may ask any node */
    public List<Row> localRows(String cql)
    {
        return session.execute(SimpleStatement.newInstance(cql).setNode(own())).all();
    }

    /** @return the node that it is connected to; the driver may have connected to others, too */
    public Node own()
    {
        return session.getMetadata().getNodes().values().stream()
                      .filter(node -> node.getEndPoint().resolve().equals(address)).findAny().orElseThrow();
    }

    /** @return all rows as readable text, in the order they came; see {@link RowText#readable} */
    public List<String> texts(String cql, Object... values)
    {
        return lines(RowText::readable, rows(cql, values));
    }

    /** @return all rows as the exact bytes that the node sent, in the order they came; see {@link RowText#exact} */
    public List<String> exact(String cql, Object... values)
    {
        return lines(RowText::exact, rows(cql, values));
    }

    /** @return all rows as the exact bytes, read in pages of so many rows */
    public List<String> exactPaged(int pageRows, String cql)
    {
        return lines(RowText::exact, session.execute(SimpleStatement.newInstance(cql).setPageSize(pageRows)).all());
    }

    private static List<String> lines(Function<Row, String> form, List<Row> rows)
    {
        return rows.stream().map(form).collect(Collectors.toCollection(ArrayList::new));
    }

    /** Runs a statement that the node must refuse as invalid, and returns its reason; fails when it is accepted. */
    public String refusal(String cql, Object... values)
    {
        try
        {
            run(cql, values);
        }
        catch (QueryValidationException e)
        {
            return e.getMessage();
        }
        throw new AssertionError("accepted: " + cql);
    }

    /** Makes a keyspace of one replica, and drops what had its name; {@link Node#cql(String)} uses it. */
    public void freshKeyspace(String name)
    {
        run("DROP KEYSPACE IF EXISTS " + name);
        run("CREATE KEYSPACE " + name
            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }

    /** @return the driver's session, for what this class lacks (batches, asynchronous calls, options) */
    public CqlSession session()
    {
        return session;
    }

    @Override
    public void close()
    {
        session.close();
    }
}
