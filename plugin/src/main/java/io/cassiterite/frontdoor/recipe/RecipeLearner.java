/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;
import java.util.function.ToIntFunction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.cql3.ColumnSpecification;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.db.guardrails.Guardrails;
import org.apache.cassandra.exceptions.RequestValidationException;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.utils.MD5Digest;

import io.cassiterite.schema.EngineQueryHandler;

import static io.cassiterite.frontdoor.recipe.RefusedException.refuseIf;

/** Learns the recipes of prepared statements. Thread-safe. */
public final class RecipeLearner
{
    private static final Logger logger = LoggerFactory.getLogger(RecipeLearner.class);

    private static final RecipeLearner NODE = new RecipeLearner(EngineColumns.NODE);

    private final EngineColumns engine;

    RecipeLearner(EngineColumns engine)
    {
        this.engine = engine;
    }

    /**
     * Learns the recipe of a statement of this node, which stays in Cassandra's cache as if a client had executed it.
     *
     * @return null if no statement with this id is prepared
     */
    public static Learned learn(MD5Digest id)
    {
        QueryHandler.Prepared prepared = ClientState.getCQLQueryHandler().getPrepared(id);
        return prepared == null ? null : learn(id, prepared);
    }

    /** Learns the recipe of a statement that Cassandra has under this id. */
    public static Learned learn(MD5Digest id, QueryHandler.Prepared prepared)
    {
        QueryHandler handler = ClientState.getCQLQueryHandler();
        if (!(handler instanceof EngineQueryHandler) && handler != QueryProcessor.instance)
            return Learned.refused(prepared.rawCQLStatement, RecipeRefusal.OTHER_HANDLER);
        return NODE.examine(id, prepared);
    }

    Learned examine(MD5Digest id, QueryHandler.Prepared prepared)
    {
        try
        {
            if (prepared.statement instanceof ModificationStatement)
            {
                ModificationStatement modification = (ModificationStatement) prepared.statement;
                return Learned.recipe(prepared.rawCQLStatement, modification, modification.metadata().id, recipe(id, modification));
            }
            SelectStatement statement = StatementRules.select(prepared);
            return Learned.recipe(prepared.rawCQLStatement, statement, statement.table.id, recipe(id, prepared, statement));
        }
        catch (RefusedException e)
        {
            return Learned.refused(prepared.rawCQLStatement, e.reason);
        }
        catch (RequestValidationException e)
        {
            return Learned.refused(prepared.rawCQLStatement, RecipeRefusal.ERROR);
        }
        catch (RuntimeException | AssertionError e)
        {
            logger.error("There is no plan for \"{}\"; Cassandra answers it", prepared.rawCQLStatement, e);
            return Learned.refused(prepared.rawCQLStatement, RecipeRefusal.FAILED);
        }
    }

    private byte[] recipe(MD5Digest id, QueryHandler.Prepared prepared, SelectStatement statement)
    {
        TableMetadata table = statement.table;
        TableMetadata present = Schema.instance.getTableMetadata(table.id);
        checkSchema(table, present);
        StatementRules.checkStatement(statement);

        byte[] bindTypes = bindTypes(statement.getBindVariables());
        ReadPattern read = new PatternLearner(statement, bindTypes).learn();
        refuseIf(read.rows && read.prefixes.size() > 1 && Guardrails.inSelectCartesianProduct.enabled(), RecipeRefusal.GUARDED);

        ToIntFunction<ColumnMetadata> ids = engine.ids(table.id);
        refuseIf(ids == null, RecipeRefusal.SCHEMA_CHANGE);
        ByteBuf out = Unpooled.buffer();
        RecipeWriter writer = new RecipeWriter(out);
        writer.writeHead(id, table, bindTypes.length);
        writer.writeRead(read, table, statement.getRestrictions().returnStaticContentOnPartitionWithNoRows());
        ResultColumns columns = new ResultColumns(ids);
        columns.writeSelected(statement, out);
        columns.writeFetched(read.columns, out);
        ResultHead.write(prepared, statement.getResultMetadata(), out);

        refuseIf(Schema.instance.getTableMetadata(table.id) != present, RecipeRefusal.SCHEMA_CHANGE);
        return ByteBufUtil.getBytes(out);
    }

    private byte[] recipe(MD5Digest id, ModificationStatement statement)
    {
        TableMetadata table = statement.metadata();
        TableMetadata present = Schema.instance.getTableMetadata(table.id);
        checkSchema(table, present);
        StatementRules.checkStatement(statement);
        refuseIf(table.params.defaultTimeToLive != present.params.defaultTimeToLive, RecipeRefusal.SCHEMA_CHANGE);
        ToIntFunction<ColumnMetadata> ids = engine.ids(table.id);
        refuseIf(ids == null, RecipeRefusal.SCHEMA_CHANGE);
        byte[] bindTypes = bindTypes(statement.getBindVariables());
        byte[] recipe = new ModificationLearner(statement, bindTypes).learn(id, ids, engine::writeRequest);
        refuseIf(Schema.instance.getTableMetadata(table.id) != present, RecipeRefusal.SCHEMA_CHANGE);
        return recipe;
    }

    /** A statement keeps the table that it was prepared with; others may differ from it in what no statement depends on. */
    private void checkSchema(TableMetadata table, TableMetadata present)
    {
        StatementRules.checkTable(table);
        TableMetadata stored = engine.schema(table.id);
        refuseIf(stored == null, RecipeRefusal.NOT_IN_ENGINE);
        KeyspaceMetadata keyspace = Schema.instance.getKeyspaceMetadata(table.keyspace);
        refuseIf(present == null || keyspace == null, RecipeRefusal.SCHEMA_CHANGE);
        StatementRules.checkTable(present);
        StatementRules.checkViews(keyspace, present);
        refuseIf(!haveSameColumns(table, present) || !haveSameColumns(table, stored), RecipeRefusal.SCHEMA_CHANGE);
    }

    private static boolean haveSameColumns(TableMetadata one, TableMetadata other)
    {
        return List.copyOf(one.columns()).equals(List.copyOf(other.columns()));
    }

    private static byte[] bindTypes(List<ColumnSpecification> binds)
    {
        byte[] types = new byte[binds.size()];
        for (int i = 0; i < types.length; i++)
            types[i] = KeyTypes.code(binds.get(i).type, RecipeRefusal.BIND_TYPE);
        return types;
    }
}
