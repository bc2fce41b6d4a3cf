/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.datastax.driver.core.BoundStatement;
import com.datastax.driver.core.Cluster;
import com.datastax.driver.core.ColumnDefinitions;
import com.datastax.driver.core.Configuration;
import com.datastax.driver.core.DataType;
import com.datastax.driver.core.Host;
import com.datastax.driver.core.KeyspaceMetadata;
import com.datastax.driver.core.NettyOptions;
import com.datastax.driver.core.PagingState;
import com.datastax.driver.core.PreparedStatement;
import com.datastax.driver.core.ProtocolOptions;
import com.datastax.driver.core.ProtocolVersion;
import com.datastax.driver.core.QueryOptions;
import com.datastax.driver.core.ResultSet;
import com.datastax.driver.core.ResultSetFuture;
import com.datastax.driver.core.Row;
import com.datastax.driver.core.Session;
import com.datastax.driver.core.SimpleStatement;
import com.datastax.driver.core.SocketOptions;
import com.datastax.driver.core.Statement;
import com.datastax.driver.core.exceptions.DriverException;
import com.datastax.driver.core.policies.ConstantReconnectionPolicy;
import io.netty.channel.EventLoopGroup;

/** Version 3 of the Java driver. */
final class Java3Session implements DriverSession
{
    private static final int BOUND_MILLIS = 60_000;
    private static final int RECONNECTION_MILLIS = 200;
    private static final int SCHEMA_WINDOW_MILLIS = 10;

    private final Cluster cluster;
    private final Session session;
    private final Endpoint endpoint;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private Row latest;

    Java3Session(Endpoint endpoint)
    {
        this.endpoint = endpoint;
        cluster = Cluster.builder().addContactPointsWithPorts(endpoint.address())
                         .withProtocolVersion(ProtocolVersion.fromInt(endpoint.version()))
                         .withCompression(endpoint.isCompressed() ? ProtocolOptions.Compression.LZ4 : ProtocolOptions.Compression.NONE)
                         .withReconnectionPolicy(new ConstantReconnectionPolicy(RECONNECTION_MILLIS))
                         .withSocketOptions(new SocketOptions().setReadTimeoutMillis(BOUND_MILLIS))
                         .withQueryOptions(new QueryOptions().setRefreshSchemaIntervalMillis(SCHEMA_WINDOW_MILLIS))
                         .withNettyOptions(new QuickEnd())
                         // its metrics want an older library than version 4 of the driver
                         .withoutMetrics().build();
        try
        {
            session = cluster.connect(endpoint.keyspace());
        }
        catch (RuntimeException e)
        {
            cluster.close();
            throw e;
        }
    }

    @Override
    public List<String> prepare(String statement, String cql)
    {
        return answer(() -> {
            statements.put(statement, session.prepare(cql));
            return List.of("variables" + columns(statements.get(statement).getVariables()));
        });
    }

    @Override
    public List<String> execute(String statement, int pageRows, Object... values)
    {
        return answer(() -> allRows(bound(statement, values).setFetchSize(pageRows)));
    }

    @Override
    public List<String> page(String statement, int pageRows, String state, Object... values)
    {
        return answer(() -> {
            Statement bound = bound(statement, values).setFetchSize(pageRows);
            if (state != null)
                bound.setPagingState(PagingState.fromString(state));
            ResultSet result = session.execute(bound);
            List<String> lines = rows(result, result.getAvailableWithoutFetching());
            PagingState next = result.getExecutionInfo().getPagingState();
            lines.add(next == null ? LAST : NEXT + next);
            return lines;
        });
    }

    @Override
    public List<String> concurrently(String statement, int count)
    {
        return answer(() -> {
            List<ResultSetFuture> results = new ArrayList<>();
            for (int i = 0; i < count; i++)
                results.add(session.executeAsync(bound(statement, i)));
            List<String> lines = new ArrayList<>();
            for (ResultSetFuture result : results)
                lines.addAll(rows(result.getUninterruptibly(), Integer.MAX_VALUE));
            return lines;
        });
    }

    @Override
    public List<String> query(String cql)
    {
        return answer(() -> allRows(new SimpleStatement(cql)));
    }

    @Override
    public List<String> use(String keyspace)
    {
        return query("USE " + keyspace);
    }

    @Override
    public List<String> keyspace(String name)
    {
        KeyspaceMetadata keyspace = cluster.getMetadata().getKeyspace(name);
        return keyspace == null ? List.of() : keyspace.exportAsString().lines().toList();
    }

    @Override
    public List<String> nodes()
    {
        List<String> lines = new ArrayList<>();
        for (Host host : cluster.getMetadata().getAllHosts())
            lines.add(endpoint.anonymous(host.getEndPoint().resolve().toString()) + ' ' + host.getState() + ' ' + host.getDatacenter()
                      + ' ' + host.getRack() + ' ' + host.getCassandraVersion() + ' ' + host.getHostId());
        lines.add(cluster.getMetadata().getPartitioner() + ' ' + cluster.getMetadata().getTokenRanges());
        lines.add("replicas " + cluster.getMetadata().getReplicas("drivers", ByteBuffer.allocate(4)).size());
        return lines;
    }

    private BoundStatement bound(String statement, Object... values)
    {
        ColumnDefinitions variables = statements.get(statement).getVariables();
        BoundStatement bound = statements.get(statement).bind();
        for (int i = 0; i < values.length; i++)
            if (values[i] instanceof Named named)
                bound.setBytesUnsafe(named.name(), encoded(variables.getType(named.name()), named.value()));
            else if (values[i] != Unset.UNSET)
                bound.setBytesUnsafe(i, encoded(variables.getType(i), values[i]));
        return bound;
    }

    private ByteBuffer encoded(DataType type, Object value)
    {
        Object decoded = value instanceof Cell cell ? latest.getObject(cell.column()) : value;
        Configuration configuration = cluster.getConfiguration();
        return decoded == null ? null : configuration.getCodecRegistry().codecFor(type, decoded)
                                                     .serialize(decoded, configuration.getProtocolOptions().getProtocolVersion());
    }

    private List<String> allRows(Statement statement)
    {
        ResultSet result = session.execute(statement);
        List<String> lines = rows(result, Integer.MAX_VALUE);
        result.getAllExecutionInfo().forEach(info -> info.getWarnings().forEach(warning -> lines.add("warning " + warning)));
        return lines;
    }

    private List<String> rows(ResultSet result, int count)
    {
        List<String> lines = new ArrayList<>();
        lines.add("columns" + columns(result.getColumnDefinitions()));
        for (int i = 0; i < count && !result.isExhausted(); i++)
        {
            latest = result.one();
            lines.add(text(latest));
        }
        return lines;
    }

    private String text(Row row)
    {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < row.getColumnDefinitions().size(); i++)
            values.add(row.getColumnDefinitions().getName(i) + '=' + value(row, i));
        return String.join(", ", values);
    }

    private String value(Row row, int column)
    {
        Object value = row.getObject(column);
        if (value == null)
            return "null";
        return cluster.getConfiguration().getCodecRegistry().codecFor(row.getColumnDefinitions().getType(column)).format(value);
    }

    private static String columns(ColumnDefinitions columns)
    {
        return ' ' + columns.toString();
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

    @Override
    public void close()
    {
        cluster.close();
    }

    /** Waits for no late tasks. */
    private static final class QuickEnd extends NettyOptions
    {
        @Override
        public void onClusterClose(EventLoopGroup group)
        {
            group.shutdownGracefully(0, BOUND_MILLIS, TimeUnit.MILLISECONDS).syncUninterruptibly();
        }
    }
}
