/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.restrictions.StatementRestrictions;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;

import static io.cassiterite.frontdoor.recipe.RefusedException.refuseIf;

/** Which statements and tables may have a recipe at all. */
final class StatementRules
{
    private StatementRules()
    {
    }

    static SelectStatement select(QueryHandler.Prepared prepared)
    {
        refuseIf(!(prepared.statement instanceof SelectStatement), RecipeRefusal.NOT_A_SELECT);
        return (SelectStatement) prepared.statement;
    }

    static void checkStatement(SelectStatement statement)
    {
        refuseIf(statement.parameters.isDistinct, RecipeRefusal.DISTINCT);
        refuseIf(statement.parameters.isJson, RecipeRefusal.JSON);
        refuseIf(statement.parameters.allowFiltering, RecipeRefusal.ALLOW_FILTERING);
        refuseIf(!statement.parameters.groups.isEmpty(), RecipeRefusal.GROUP_BY);
        refuseIf(statement.getSelection().isAggregate(), RecipeRefusal.AGGREGATE);
        refuseIf(statement.getFunctions().iterator().hasNext(), RecipeRefusal.FUNCTION);

        StatementRestrictions restrictions = statement.getRestrictions();
        refuseIf(restrictions.usesSecondaryIndexing() || restrictions.isTopK(), RecipeRefusal.INDEX_QUERY);
        refuseIf(restrictions.isKeyRange() || restrictions.isPartitionKeyRestrictionsOnToken(), RecipeRefusal.KEY_RANGE);
        refuseIf(restrictions.keyIsInRelation(), RecipeRefusal.KEYS);
    }

    static void checkStatement(ModificationStatement statement)
    {
        refuseIf(statement.hasConditions(), RecipeRefusal.CONDITIONAL);
        refuseIf(statement.isCounter(), RecipeRefusal.COUNTER);
        refuseIf(statement.requiresRead(), RecipeRefusal.NEEDS_READ);
        refuseIf(statement.isTimestampSet(), RecipeRefusal.OWN_TIMESTAMP);
        refuseIf(statement.getFunctions().iterator().hasNext(), RecipeRefusal.FUNCTION);
    }

    /** Only views have strict liveness. */
    static void checkTable(TableMetadata table)
    {
        refuseIf(SchemaConstants.isSystemKeyspace(table.keyspace) || table.isVirtual(), RecipeRefusal.SYSTEM_TABLE);
        refuseIf(table.isView(), RecipeRefusal.VIEW);
        refuseIf(table.isCompactTable(), RecipeRefusal.COMPACT);
        refuseIf(!table.indexes.isEmpty(), RecipeRefusal.INDEXED);
        refuseIf(!table.triggers.isEmpty(), RecipeRefusal.TRIGGERED);
        refuseIf(table.hasMaskedColumns(), RecipeRefusal.MASKED);
        for (ColumnMetadata column : table.columns())
            refuseIf(table.droppedColumns.containsKey(column.name.bytes), RecipeRefusal.READDED_COLUMN);
    }

    static void checkViews(KeyspaceMetadata keyspace, TableMetadata table)
    {
        refuseIf(!keyspace.views.isEmpty() && keyspace.views.forTable(table.id).iterator().hasNext(), RecipeRefusal.HAS_VIEWS);
    }
}
