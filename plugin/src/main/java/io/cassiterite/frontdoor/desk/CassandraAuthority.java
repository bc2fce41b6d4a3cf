/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import org.apache.cassandra.cql3.QueryHandler;

/** Asks Cassandra, as it asks itself for each request. Where the answer is no, Cassandra words it for the client. */
final class CassandraAuthority implements Authority
{
    @Override
    public boolean allows(ClientConnection connection, Statement statement)
    {
        try
        {
            ((QueryHandler.Prepared) statement.prepared).statement.authorize(connection.state());
            return true;
        }
        catch (RuntimeException e)
        {
            // also where the permissions cannot be read: Cassandra says so to the client
            return false;
        }
    }
}
