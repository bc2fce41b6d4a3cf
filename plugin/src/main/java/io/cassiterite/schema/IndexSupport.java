/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.List;

import org.apache.cassandra.cql3.statements.schema.AlterSchemaStatement;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.node.PluginGossip;

/** Whether all nodes know the class of the engine's indexes: one that does not fails the whole schema change. */
final class IndexSupport
{
    private IndexSupport()
    {
    }

    /** @throws InvalidRequestException if a member has not published that it has the table of the statement in the engine */
    static void check(AlterSchemaStatement statement)
    {
        TableMetadata table = IndexMapping.table(statement);
        String key = table.params.memtable.configurationKey();
        List<InetAddressAndPort> lacking = PluginGossip.membersWithout(key);
        if (!lacking.isEmpty())
            throw new InvalidRequestException(String.format("An index of a Cassiterite table needs the plug-in on every node, and these"
                                                            + " have not published that they map '%s', the memtable of %s, to it: %s."
                                                            + " Do that there, or remove the nodes, then create the index.",
                                                            key, table, lacking));
    }
}
