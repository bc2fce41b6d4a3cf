/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.plan;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.restrictions.StatementRestrictions;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;

import static io.cassiterite.frontdoor.plan.RefusedException.refuseIf;

/** Which statements and tables may have a plan at all. */
final class StatementRules
{
    private StatementRules()
    {
    }

    static SelectStatement select(QueryHandler.Prepared prepared)
    {
        refuseIf(!(prepared.statement instanceof SelectStatement), PlanRefusal.NOT_A_SELECT);
        return (SelectStatement) prepared.statement;
    }

    static void checkStatement(SelectStatement statement)
    {
        refuseIf(statement.parameters.isDistinct, PlanRefusal.DISTINCT);
        refuseIf(statement.parameters.isJson, PlanRefusal.JSON);
        refuseIf(statement.parameters.allowFiltering, PlanRefusal.ALLOW_FILTERING);
        refuseIf(!statement.parameters.groups.isEmpty(), PlanRefusal.GROUP_BY);
        refuseIf(statement.getSelection().isAggregate(), PlanRefusal.AGGREGATE);
        refuseIf(statement.getFunctions().iterator().hasNext(), PlanRefusal.FUNCTION);

        StatementRestrictions restrictions = statement.getRestrictions();
        refuseIf(restrictions.usesSecondaryIndexing() || restrictions.isTopK(), PlanRefusal.INDEX_QUERY);
        refuseIf(restrictions.isKeyRange() || restrictions.isPartitionKeyRestrictionsOnToken(), PlanRefusal.KEY_RANGE);
        refuseIf(restrictions.keyIsInRelation(), PlanRefusal.KEYS);
    }

    /** Only views have strict liveness. */
    static void checkTable(TableMetadata table)
    {
        refuseIf(SchemaConstants.isSystemKeyspace(table.keyspace) || table.isVirtual(), PlanRefusal.SYSTEM_TABLE);
        refuseIf(table.isView(), PlanRefusal.VIEW);
        refuseIf(table.isCompactTable(), PlanRefusal.COMPACT);
        refuseIf(!table.indexes.isEmpty(), PlanRefusal.INDEXED);
        refuseIf(!table.triggers.isEmpty(), PlanRefusal.TRIGGERED);
        refuseIf(table.hasMaskedColumns(), PlanRefusal.MASKED);
        for (ColumnMetadata column : table.columns())
            refuseIf(table.droppedColumns.containsKey(column.name.bytes), PlanRefusal.READDED_COLUMN);
    }

    static void checkViews(KeyspaceMetadata keyspace, TableMetadata table)
    {
        refuseIf(!keyspace.views.isEmpty() && keyspace.views.forTable(table.id).iterator().hasNext(), PlanRefusal.HAS_VIEWS);
    }
}
