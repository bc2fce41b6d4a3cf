/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.Describable;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.protocol.internal.util.Bytes;

import io.cassiterite.nodetest.RowText;

/** Version 4 of the Java driver. */
final class Java4Session implements DriverSession
{
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final CqlSession session;
    private final Endpoint endpoint;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private Row latest;

    Java4Session(Endpoint endpoint)
    {
        this.endpoint = endpoint;
        CqlSessionBuilder builder = CqlSession.builder().addContactPoint(endpoint.address()).withLocalDatacenter("datacenter1")
                                              .withConfigLoader(configuration(endpoint));
        if (endpoint.keyspace() != null)
            builder.withKeyspace(endpoint.keyspace());
        session = builder.build();
    }

    private static DriverConfigLoader configuration(Endpoint endpoint)
    {
        ProgrammaticDriverConfigLoaderBuilder builder = DriverConfigLoader.programmaticBuilder();
        if (endpoint.isCompressed())
            builder.withString(DefaultDriverOption.PROTOCOL_COMPRESSION, endpoint.compression());
        return builder.withString(DefaultDriverOption.PROTOCOL_VERSION, "V" + endpoint.version())
                      .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, BOUND)
                      .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, BOUND)
                      .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, BOUND)
                      .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, BOUND)
                      .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, BOUND)
                      .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(10))
                      .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(100))
                      .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofMillis(400))
                      .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                      .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                      .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                      .build();
    }

    @Override
    public List<String> prepare(String statement, String cql)
    {
        return answer(() -> {
            PreparedStatement prepared = session.prepare(cql);
            statements.put(statement, prepared);
            return List.of("variables" + columns(prepared.getVariableDefinitions()),
                           "columns" + columns(prepared.getResultSetDefinitions()));
        });
    }

    @Override
    public List<String> execute(String statement, int pageRows, Object... values)
    {
        return answer(() -> allRows(session.execute(bound(statement, values).setPageSize(pageRows))));
    }

    @Override
    public List<String> page(String statement, int pageRows, String state, Object... values)
    {
        return answer(() -> {
            BoundStatement bound = bound(statement, values).setPageSize(pageRows);
            if (state != null)
                bound = bound.setPagingState(Bytes.fromHexString(state));
            AsyncResultSet page = await(session.executeAsync(bound));
            List<String> lines = rows(page.getColumnDefinitions(), page.currentPage());
            lines.add(page.hasMorePages() ? NEXT + Bytes.toHexString(page.getExecutionInfo().getPagingState()) : LAST);
            return lines;
        });
    }

    @Override
    public List<String> concurrently(String statement, int count)
    {
        return answer(() -> {
            List<CompletionStage<AsyncResultSet>> pages = new ArrayList<>();
            for (int i = 0; i < count; i++)
                pages.add(session.executeAsync(bound(statement, i)));
            List<String> lines = new ArrayList<>();
            for (CompletionStage<AsyncResultSet> page : pages)
                lines.addAll(rows(await(page).getColumnDefinitions(), await(page).currentPage()));
            return lines;
        });
    }

    @Override
    public List<String> query(String cql)
    {
        return answer(() -> allRows(session.execute(cql)));
    }

    @Override
    public List<String> use(String keyspace)
    {
        return query("USE " + keyspace);
    }

    @Override
    public List<String> keyspace(String name)
    {
        return session.getMetadata().getKeyspace(name).map(keyspace -> ((Describable) keyspace).describeWithChildren(true)).stream()
                      .flatMap(String::lines).toList();
    }

    @Override
    public List<String> nodes()
    {
        Metadata metadata = session.getMetadata();
        List<String> lines = new ArrayList<>();
        for (Node node : metadata.getNodes().values())
            lines.add(endpoint.anonymous(node.getEndPoint().resolve().toString()) + ' ' + node.getState() + ' '
                      + node.getDatacenter() + ' ' + node.getRack() + ' ' + node.getCassandraVersion() + ' ' + node.getHostId());
        metadata.getTokenMap().ifPresent(map -> lines.add(map.getPartitionerName() + ' ' + map.getTokenRanges()));
        return lines;
    }

    private BoundStatement bound(String statement, Object... values)
    {
        BoundStatement bound = statements.get(statement).bind();
        for (int i = 0; i < values.length; i++)
            if (values[i] instanceof Named named)
                bound = bound.setBytesUnsafe(named.name(), encoded(bound, bound.getType(named.name()), named.value()));
            else if (values[i] != Unset.UNSET)
                bound = bound.setBytesUnsafe(i, encoded(bound, bound.getType(i), values[i]));
        return bound;
    }

    private ByteBuffer encoded(BoundStatement bound, DataType type, Object value)
    {
        Object decoded = value instanceof Cell cell ? latest.getObject(cell.column()) : value;
        return decoded == null ? null : bound.codecRegistry().codecFor(type, decoded).encode(decoded, bound.protocolVersion());
    }

    private List<String> allRows(ResultSet result)
    {
        List<String> lines = rows(result.getColumnDefinitions(), result);
        result.getExecutionInfos().forEach(info -> info.getWarnings().forEach(warning -> lines.add("warning " + warning)));
        return lines;
    }

    private List<String> rows(ColumnDefinitions columns, Iterable<Row> rows)
    {
        List<String> lines = new ArrayList<>();
        lines.add("columns" + columns(columns));
        for (Row row : rows)
        {
            latest = row;
            lines.add(RowText.readable(row));
        }
        return lines;
    }

    private static String columns(ColumnDefinitions columns)
    {
        StringJoiner text = new StringJoiner(", ", " ", "");
        IntStream.range(0, columns.size()).mapToObj(columns::get)
                 .forEach(column -> text.add(name(column.getKeyspace()) + '.' + name(column.getTable()) + '.'
                                             + name(column.getName()) + ' ' + column.getType().asCql(true, true)));
        return text.toString();
    }

    private static String name(CqlIdentifier identifier)
    {
        return identifier.asCql(true);
    }

    private List<String> answer(Supplier<List<String>> request)
    {
        try
        {
            return request.get();
        }
        catch (DriverException e)
        {
            return List.of(ERROR + e.getClass().getSimpleName() + ": " + endpoint.anonymous(e.getMessage()));
        }
        catch (RuntimeException e)
        {
            // The driver cannot decode the answer. The JVM leaves out the message after some times.
            return List.of(ERROR + e.getClass().getSimpleName());
        }
    }

    private static AsyncResultSet await(CompletionStage<AsyncResultSet> page)
    {
        try
        {
            return page.toCompletableFuture().join();
        }
        catch (CompletionException e)
        {
            throw e.getCause() instanceof DriverException cause ? cause : e;
        }
    }

    @Override
    public void close()
    {
        session.close();
    }
}
