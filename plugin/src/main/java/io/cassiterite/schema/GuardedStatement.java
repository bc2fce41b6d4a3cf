/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.List;

import org.apache.cassandra.audit.AuditLogContext;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.ColumnSpecification;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.functions.Function;
import org.apache.cassandra.cql3.statements.schema.AlterKeyspaceStatement;
import org.apache.cassandra.cql3.statements.schema.AlterSchemaStatement;
import org.apache.cassandra.cql3.statements.schema.AlterTableStatement;
import org.apache.cassandra.cql3.statements.schema.AlterViewStatement;
import org.apache.cassandra.cql3.statements.schema.CreateIndexStatement;
import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.cql3.statements.schema.CreateViewStatement;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.Keyspaces;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.ClientWarn;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;

import io.cassiterite.node.CommitLogParameter;

/**
 * A schema statement that is checked by {@link SchemaRules} between its validation and its execution, so that
 * authorization and Cassandra's own checks have their order and errors.
 */
final class GuardedStatement implements CQLStatement
{
    /** Prevents that two statements of this node are checked against the same schema and then both executed. */
    private static final Object ONE_AT_A_TIME = new Object();

    private static final String CDC_REFUSAL = "CDC cannot work if writes skip the commit log";

    private final AlterSchemaStatement statement;
    private final SchemaRules rules;
    private final EnteredElsewhere enteredElsewhere = new EnteredElsewhere();
    private final DefaultMemtable defaultMemtable;

    GuardedStatement(AlterSchemaStatement statement, SchemaRules rules, DefaultMemtable defaultMemtable)
    {
        this.statement = statement;
        this.rules = rules;
        this.defaultMemtable = defaultMemtable;
    }

    @Override
    public ResultMessage execute(QueryState state, QueryOptions options, Dispatcher.RequestTime requestTime)
    {
        synchronized (ONE_AT_A_TIME)
        {
            String notice = prepare();
            ResultMessage result = statement.execute(state, options, requestTime);
            if (notice != null)
                ClientWarn.instance.warn(notice);
            return result;
        }
    }

    @Override
    public ResultMessage executeLocally(QueryState state, QueryOptions options)
    {
        synchronized (ONE_AT_A_TIME)
        {
            prepare();
            return statement.executeLocally(state, options);
        }
    }

    /** @return what the client is told if the statement succeeds, or null */
    private String prepare()
    {
        defaultMemtable.applyTo(statement);
        String notice = IndexMapping.applyTo(statement);
        check(notice != null);
        if (notice != null)
            IndexSupport.check(statement);
        return notice;
    }

    private void check(boolean mapped)
    {
        if (!canViolateRules(statement))
            return;

        Keyspaces before = Schema.instance.distributedKeyspaces();
        Keyspaces after = simulate(before, mapped);
        if (after == null)
            return;
        rules.check(before, after);
        List<String> refusals = enteredElsewhere.refusals(before, after);
        if (!refusals.isEmpty())
            throw new InvalidRequestException(String.join(" ", refusals));
        if (mapped)
            IndexMapping.refuseVectors(statement);
    }

    /** @return the schema that the statement would make, or null if Cassandra itself will refuse the statement */
    private Keyspaces simulate(Keyspaces before, boolean mapped)
    {
        ClientWarn.State warnings = ClientWarn.instance.get();
        ClientWarn.instance.set(null);
        try
        {
            return statement.apply(before);
        }
        catch (RuntimeException e)
        {
            refuseCdc(e);
            if (mapped)
                IndexMapping.explain(e);
            return null;
        }
        finally
        {
            ClientWarn.instance.set(warnings);
        }
    }

    /**
     * Makes the ConfigurationException that Cassandra throws at CREATE TABLE only an InvalidRequestException as for
     * every other refusal.
     */
    private static void refuseCdc(RuntimeException refusal)
    {
        if (refusal instanceof ConfigurationException && String.valueOf(refusal.getMessage()).startsWith(CDC_REFUSAL))
            throw new InvalidRequestException("Writes to a table with this memtable do not go through the commit log, which is " +
                                              "what cdc reads. Add " + CommitLogParameter.NAME + ": true to the parameters of its " +
                                              "configuration on each node, set cdc = false, or use another memtable.", refusal);
    }

    /** Functions and types are left out: simulating them would compile user code, and no rule needs them. */
    private static boolean canViolateRules(AlterSchemaStatement statement)
    {
        return statement instanceof CreateTableStatement
               || statement instanceof AlterTableStatement
               || statement instanceof CreateIndexStatement
               || statement instanceof CreateViewStatement
               || statement instanceof AlterViewStatement
               || statement instanceof AlterKeyspaceStatement;
    }

    @Override
    public List<ColumnSpecification> getBindVariables()
    {
        return statement.getBindVariables();
    }

    @Override
    public short[] getPartitionKeyBindVariableIndexes()
    {
        return statement.getPartitionKeyBindVariableIndexes();
    }

    @Override
    public Iterable<Function> getFunctions()
    {
        return statement.getFunctions();
    }

    @Override
    public void authorize(ClientState state)
    {
        statement.authorize(state);
    }

    @Override
    public void validate(ClientState state)
    {
        statement.validate(state);
    }

    @Override
    public AuditLogContext getAuditLogContext()
    {
        return statement.getAuditLogContext();
    }

    @Override
    public boolean hasConditions()
    {
        return statement.hasConditions();
    }

    @Override
    public String toString()
    {
        return statement.toString();
    }
}
