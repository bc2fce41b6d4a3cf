/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.QualifiedStatement;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;

import io.cassiterite.node.EngineTable;

/**
 * Tells who asks an engine table by LIKE what to do instead. Cassandra's own refusal asks for an index that an engine table
 * cannot have.
 */
final class LikeRefusal
{
    private static final String STOCK = "LIKE restriction is only supported on properly indexed columns.";

    private static final String WHAT_TO_DO = " is a Cassiterite table, whose indexes do not serve LIKE. For the texts that begin with" +
                                             " 'a' ask for >= 'a' AND < 'b', which an index serves. For others keep the column" +
                                             " in a table with another memtable, under the same primary key, and index it there with" +
                                             " SASI (sasi_indexes_enabled).";

    private LikeRefusal()
    {
    }

    /** @return what to throw for a statement that Cassandra has refused with this */
    static InvalidRequestException explain(InvalidRequestException refusal, String query, ClientState client)
    {
        if (!String.valueOf(refusal.getMessage()).startsWith(STOCK))
            return refusal;
        TableMetadata table = table(query, client);
        return table == null || !EngineTable.is(table)
               ? refusal
               : new InvalidRequestException(refusal.getMessage() + ' ' + table + WHAT_TO_DO, refusal);
    }

    /** Of a statement that Cassandra could parse. */
    private static TableMetadata table(String query, ClientState client)
    {
        CQLStatement.Raw statement = QueryProcessor.parseStatement(query);
        if (!(statement instanceof QualifiedStatement))
            return null;
        QualifiedStatement qualified = (QualifiedStatement) statement;
        String keyspace = qualified.isFullyQualified() ? qualified.keyspace() : client.getRawKeyspace();
        return keyspace == null ? null : Schema.instance.getTableMetadata(keyspace, qualified.name());
    }
}
