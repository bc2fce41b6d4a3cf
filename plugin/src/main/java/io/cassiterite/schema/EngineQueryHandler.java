/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.nio.ByteBuffer;
import java.util.Map;

import org.apache.cassandra.cql3.BatchQueryOptions;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.BatchStatement;
import org.apache.cassandra.cql3.statements.schema.AlterSchemaStatement;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.MD5Digest;

import io.cassiterite.memtable.NullBounds;
import io.cassiterite.memtable.TupleParts;

/**
 * Cassandra's own query handler, except that {@link SchemaRules} check a schema change first, {@link NullBounds} a
 * write, {@link TupleParts} a read, and that {@link LikeRefusal} explains a refusal. Named by
 * {@code -Dcassandra.custom_query_handler_class=io.cassiterite.schema.EngineQueryHandler}.
 */
public final class EngineQueryHandler implements QueryHandler
{
    private final QueryProcessor processor = QueryProcessor.instance;
    private final SchemaRules rules = new SchemaRules();
    private final DefaultMemtable defaultMemtable = DefaultMemtable.fromProperties();

    @Override
    public CQLStatement parse(String query, QueryState state, QueryOptions options)
    {
        try
        {
            return processor.parse(query, state, options);
        }
        catch (InvalidRequestException e)
        {
            throw LikeRefusal.explain(e, query, state.getClientState().cloneWithKeyspaceIfSet(options.getKeyspace()));
        }
    }

    @Override
    public ResultMessage process(CQLStatement statement,
                                 QueryState state,
                                 QueryOptions options,
                                 Map<String, ByteBuffer> customPayload,
                                 Dispatcher.RequestTime requestTime)
    {
        checkBounds(statement, options, state.getClientState());
        return processor.process(guard(statement), state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage.Prepared prepare(String query, ClientState state, Map<String, ByteBuffer> customPayload)
    {
        try
        {
            return processor.prepare(query, state, customPayload);
        }
        catch (InvalidRequestException e)
        {
            throw LikeRefusal.explain(e, query, state);
        }
    }

    @Override
    public Prepared getPrepared(MD5Digest id)
    {
        return processor.getPrepared(id);
    }

    @Override
    public ResultMessage processPrepared(CQLStatement statement,
                                         QueryState state,
                                         QueryOptions options,
                                         Map<String, ByteBuffer> customPayload,
                                         Dispatcher.RequestTime requestTime)
    {
        checkBounds(statement, options, state.getClientState());
        return processor.processPrepared(guard(statement), state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage processBatch(BatchStatement statement,
                                      QueryState state,
                                      BatchQueryOptions options,
                                      Map<String, ByteBuffer> customPayload,
                                      Dispatcher.RequestTime requestTime)
    {
        NullBounds.check(statement, options, state.getClientState());
        return processor.processBatch(statement, state, options, customPayload, requestTime);
    }

    private static void checkBounds(CQLStatement statement, QueryOptions options, ClientState client)
    {
        NullBounds.check(statement, options, client);
        TupleParts.check(statement, options, client);
    }

    private CQLStatement guard(CQLStatement statement)
    {
        return statement instanceof AlterSchemaStatement
               ? new GuardedStatement((AlterSchemaStatement) statement, rules, defaultMemtable)
               : statement;
    }
}
