/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.plan;

import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.schema.TableId;

/** What the learner found out about a prepared statement: a plan, or why there is none. Immutable. */
public final class Learned
{
    private final String query;
    private final SelectStatement statement;
    private final byte[] plan;
    private final PlanRefusal refusal;

    private Learned(String query, SelectStatement statement, byte[] plan, PlanRefusal refusal)
    {
        this.query = query;
        this.statement = statement;
        this.plan = plan;
        this.refusal = refusal;
    }

    static Learned plan(String query, SelectStatement statement, byte[] plan)
    {
        return new Learned(query, statement, plan, null);
    }

    static Learned refused(String query, PlanRefusal refusal)
    {
        return new Learned(query, null, null, refusal);
    }

    /** Null if there is a plan. */
    public PlanRefusal refusal()
    {
        return refusal;
    }

    /** The plan for the door (docs/internals/boundary.md); null if it was refused. The caller owns the bytes. */
    public byte[] plan()
    {
        return plan == null ? null : plan.clone();
    }

    /** The table that the plan reads; null if there is no plan. */
    public TableId table()
    {
        return statement == null ? null : statement.table.id;
    }

    /** The statement to authorize; null if there is no plan. */
    public SelectStatement statement()
    {
        return statement;
    }

    /** The CQL text; empty if Cassandra did not keep it. */
    public String query()
    {
        return query;
    }
}
