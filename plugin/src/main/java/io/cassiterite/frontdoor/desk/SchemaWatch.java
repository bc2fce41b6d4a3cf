/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.function.Consumer;

import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.functions.UDAggregate;
import org.apache.cassandra.cql3.functions.UDFunction;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaChangeListener;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.ViewMetadata;

import static io.cassiterite.engine.BackgroundWork.attempt;

/**
 * Tells of each schema change, before it is acknowledged to anybody and after Cassandra has dropped the prepared
 * statements that it invalidates.
 */
final class SchemaWatch implements SchemaChangeListener
{
    private final Consumer<Change> onChange;
    private final Runnable onFailure;

    /** @param onFailure called where {@code onChange} has failed: the door could answer as before the change */
    SchemaWatch(Consumer<Change> onChange, Runnable onFailure)
    {
        this.onChange = onChange;
        this.onFailure = onFailure;
    }

    void register()
    {
        // Listeners are called in the order of their registration; this one's comes with the class.
        if (QueryProcessor.instance == null)
            throw new IllegalStateException("Cassandra's query processor is not there");
        Schema.instance.registerListener(this);
    }

    void unregister()
    {
        Schema.instance.unregisterListener(this);
    }

    private void changed(String keyspace)
    {
        changed(new Change(keyspace, null));
    }

    private void changed(TableMetadata table)
    {
        changed(new Change(table.keyspace, table.id));
    }

    /** Throws nothing: Cassandra's notifier would skip the listeners behind this one. */
    private void changed(Change change)
    {
        if (!attempt("Telling the front door of a schema change", () -> onChange.accept(change)))
            attempt("Ending the front door's answers", onFailure);
    }

    /** Also where Cassandra keeps the prepared statements: a mask, a trigger or speculative_retry may have changed. */
    @Override
    public void onAlterTable(TableMetadata before, TableMetadata after, boolean affectsStatements)
    {
        changed(after);
    }

    @Override
    public void onCreateTable(TableMetadata table)
    {
        changed(table);
    }

    @Override
    public void onDropTable(TableMetadata table, boolean dropData)
    {
        changed(table);
    }

    @Override
    public void onAlterKeyspace(KeyspaceMetadata before, KeyspaceMetadata after)
    {
        changed(after.name);
    }

    @Override
    public void onDropKeyspace(KeyspaceMetadata keyspace, boolean dropData)
    {
        changed(keyspace.name);
    }

    @Override
    public void onCreateView(ViewMetadata view)
    {
        changed(view.keyspace());
    }

    @Override
    public void onAlterView(ViewMetadata before, ViewMetadata after, boolean affectsStatements)
    {
        changed(after.keyspace());
    }

    @Override
    public void onDropView(ViewMetadata view, boolean dropData)
    {
        changed(view.keyspace());
    }

    @Override
    public void onAlterType(UserType before, UserType after)
    {
        changed(after.keyspace);
    }

    @Override
    public void onDropType(UserType type)
    {
        changed(type.keyspace);
    }

    @Override
    public void onCreateFunction(UDFunction function)
    {
        changed(function.name().keyspace);
    }

    @Override
    public void onAlterFunction(UDFunction before, UDFunction after)
    {
        changed(after.name().keyspace);
    }

    @Override
    public void onDropFunction(UDFunction function)
    {
        changed(function.name().keyspace);
    }

    @Override
    public void onCreateAggregate(UDAggregate aggregate)
    {
        changed(aggregate.name().keyspace);
    }

    @Override
    public void onAlterAggregate(UDAggregate before, UDAggregate after)
    {
        changed(after.name().keyspace);
    }

    @Override
    public void onDropAggregate(UDAggregate aggregate)
    {
        changed(aggregate.name().keyspace);
    }

    /** Of a table, or of a whole keyspace. */
    static final class Change
    {
        private final String keyspace;
        private final TableId table;

        Change(String keyspace, TableId table)
        {
            this.keyspace = keyspace;
            this.table = table;
        }

        boolean concerns(Statement statement)
        {
            return table == null ? statement.keyspace.equals(keyspace) : statement.table.equals(table);
        }

        /** Also a table of whose keyspace nobody knows any more. */
        boolean concerns(TableId id)
        {
            if (table != null)
                return id.equals(table);
            TableMetadata metadata = Schema.instance.getTableMetadata(id);
            return metadata == null || metadata.keyspace.equals(keyspace);
        }
    }
}
