/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MD5Digest;

/** A prepared statement that reads or writes rows, as Cassandra has it now. Preparing it again makes another. Immutable. */
final class Statement
{
    final MD5Digest id;
    final TableId table;
    final String keyspace;
    final String query;
    /** The keyspace that a connection must be in, or Cassandra warns; null for a statement that names its own. */
    final String connectionKeyspace;
    final boolean writes;
    /** Cassandra's own object. */
    final Object prepared;

    Statement(MD5Digest id, TableId table, String keyspace, String connectionKeyspace, String query, Object prepared)
    {
        this(id, table, keyspace, connectionKeyspace, query, prepared, false);
    }

    Statement(MD5Digest id, TableId table, String keyspace, String connectionKeyspace, String query, Object prepared, boolean writes)
    {
        this.id = id;
        this.table = table;
        this.keyspace = keyspace;
        this.connectionKeyspace = connectionKeyspace;
        this.query = query;
        this.prepared = prepared;
        this.writes = writes;
    }
}
