/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Map;
import java.util.function.BooleanSupplier;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.MD5Digest;

import io.cassiterite.frontdoor.recipe.Learned;
import io.cassiterite.frontdoor.recipe.RecipeLearner;

/** Those of {@link QueryProcessor}. Thread-safe. */
final class CassandraStatements implements Statements
{
    private final BooleanSupplier takesWrites;

    /** @param takesWrites whether the door may write; asked again and again */
    CassandraStatements(BooleanSupplier takesWrites)
    {
        this.takesWrites = takesWrites;
    }

    @Override
    public Object find(MD5Digest id)
    {
        return QueryProcessor.instance.getPrepared(id);
    }

    @Override
    public Statement served(MD5Digest id, Object found)
    {
        QueryHandler.Prepared prepared = (QueryHandler.Prepared) found;
        boolean reads = prepared.statement instanceof SelectStatement;
        boolean writes = prepared.statement instanceof ModificationStatement && takesWrites.getAsBoolean();
        if (!reads && !writes)
            return null;
        TableMetadata table = reads ? ((SelectStatement) prepared.statement).table
                                    : ((ModificationStatement) prepared.statement).metadata();
        return new Statement(id, table.id, table.keyspace, prepared.fullyQualified ? null : prepared.keyspace,
                             prepared.rawCQLStatement, prepared, writes);
    }

    @Override
    public Lesson learn(Statement statement)
    {
        Learned learned = RecipeLearner.learn(statement.id);
        if (learned == null)
            return Lesson.notNow();
        if (learned.refusal() != null)
            return learned.refusal().isTransient() ? Lesson.notNow() : Lesson.refused(learned.refusal().text());
        // it may have been prepared anew meanwhile
        boolean isThisOne = learned.statement() == ((QueryHandler.Prepared) statement.prepared).statement;
        return isThisOne ? Lesson.recipe(learned.recipe()) : Lesson.notNow();
    }

    @Override
    public Map<MD5Digest, ?> all()
    {
        return QueryProcessor.instance.getPreparedStatements();
    }
}
