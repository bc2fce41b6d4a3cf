/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.schema.TableId;

/** What the learner found out about a prepared statement: a recipe, or why there is none. Immutable. */
public final class Learned
{
    private final String query;
    private final CQLStatement statement;
    private final TableId table;
    private final byte[] recipe;
    private final RecipeRefusal refusal;

    private Learned(String query, CQLStatement statement, TableId table, byte[] recipe, RecipeRefusal refusal)
    {
        this.query = query;
        this.statement = statement;
        this.table = table;
        this.recipe = recipe;
        this.refusal = refusal;
    }

    static Learned recipe(String query, CQLStatement statement, TableId table, byte[] recipe)
    {
        return new Learned(query, statement, table, recipe, null);
    }

    static Learned refused(String query, RecipeRefusal refusal)
    {
        return new Learned(query, null, null, null, refusal);
    }

    /** Null if there is a recipe. */
    public RecipeRefusal refusal()
    {
        return refusal;
    }

    /** The recipe for the door (docs/internals/boundary.md); null if it was refused. The caller owns the bytes. */
    public byte[] recipe()
    {
        return recipe == null ? null : recipe.clone();
    }

    /** The table that the recipe reads or writes; null if there is no recipe. */
    public TableId table()
    {
        return table;
    }

    /** The statement to authorize; null if there is no recipe. */
    public CQLStatement statement()
    {
        return statement;
    }

    /** The CQL text; empty if Cassandra did not keep it. */
    public String query()
    {
        return query;
    }
}
