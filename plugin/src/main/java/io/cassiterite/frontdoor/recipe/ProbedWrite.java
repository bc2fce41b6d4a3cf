/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;

import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.UpdateParameters;
import org.apache.cassandra.cql3.restrictions.StatementRestrictions;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.marshal.CompositeType;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;

import static io.cassiterite.frontdoor.recipe.RefusedException.refuseIf;

/** What Cassandra makes of one execution of a statement that writes: one row. Immutable by convention. */
final class ProbedWrite
{
    final PartitionUpdate update;
    /** Components of the partition key. */
    final List<ByteBuffer> key;
    final Row row;
    /** Of what it writes; 0 for none. */
    final int ttlSeconds;

    private ProbedWrite(PartitionUpdate update, List<ByteBuffer> key, Row row, int ttlSeconds)
    {
        this.ttlSeconds = ttlSeconds;
        this.update = update;
        this.key = key;
        this.row = row;
    }

    /** As {@code ModificationStatement.addUpdates} does it, without triggers, and without a read. */
    static ProbedWrite of(ModificationStatement statement, Probe probe, long timestamp, long nowSeconds)
    {
        return of(statement, probe.options(), timestamp, nowSeconds);
    }

    static ProbedWrite of(ModificationStatement statement, QueryOptions options, long timestamp, long nowSeconds)
    {
        ClientState state = ClientState.forInternalCalls();
        TableMetadata table = statement.metadata();
        StatementRestrictions restrictions = statement.getRestrictions();
        boolean namesRow = restrictions.hasClusteringColumnsRestrictions();
        refuseIf(namesRow && restrictions.isColumnRange(), RecipeRefusal.SEVERAL_ROWS);

        List<ByteBuffer> keys = statement.buildPartitionKeyNames(options, state);
        refuseIf(keys.size() != 1, RecipeRefusal.KEYS);
        Clustering<?> clustering = Clustering.EMPTY;
        if (namesRow)
        {
            NavigableSet<Clustering<?>> clusterings = statement.createClustering(options, state);
            refuseIf(clusterings.size() != 1, RecipeRefusal.SEVERAL_ROWS);
            clustering = clusterings.first();
        }
        PartitionUpdate.Builder builder =
            new PartitionUpdate.Builder(table, table.partitioner.decorateKey(keys.get(0)), statement.updatedColumns(), 1);
        int ttlSeconds = statement.getTimeToLive(options);
        UpdateParameters parameters = new UpdateParameters(table, statement.updatedColumns(), state, options, timestamp, nowSeconds,
                                                           ttlSeconds, Collections.emptyMap());
        statement.addUpdateForKey(builder, clustering, parameters);
        PartitionUpdate update = builder.build();
        return new ProbedWrite(update, components(table, keys.get(0)), onlyRow(update), ttlSeconds);
    }

    private static List<ByteBuffer> components(TableMetadata table, ByteBuffer key)
    {
        return table.partitionKeyColumns().size() == 1 ? List.of(key)
                                                       : List.of(((CompositeType) table.partitionKeyType).split(key));
    }

    private static Row onlyRow(PartitionUpdate update)
    {
        refuseIf(!update.deletionInfo().isLive(), RecipeRefusal.SEVERAL_ROWS);
        List<Row> rows = new ArrayList<>();
        if (!update.staticRow().isEmpty())
            rows.add(update.staticRow());
        for (Iterator<Row> it = update.iterator(); it.hasNext(); )
            rows.add(it.next());
        refuseIf(rows.size() != 1, RecipeRefusal.SEVERAL_ROWS);
        return rows.get(0);
    }

    List<ByteBuffer> clustering()
    {
        return row.isStatic() ? List.of() : List.of(row.clustering().getBufferArray());
    }

    /** One of each column; refuses others than simple ones. */
    List<Cell<?>> cells()
    {
        List<Cell<?>> cells = new ArrayList<>();
        for (ColumnData data : row)
        {
            refuseIf(!data.column().isSimple(), RecipeRefusal.COLLECTION);
            Cell<?> cell = (Cell<?>) data;
            refuseIf(cell.isCounterCell(), RecipeRefusal.COUNTER);
            cells.add(cell);
        }
        return cells;
    }
}
