/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.Collection;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.net.Message;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.net.Verb;
import org.apache.cassandra.repair.SharedContext;
import org.apache.cassandra.repair.messages.PrepareMessage;
import org.apache.cassandra.repair.messages.RepairMessage;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.node.EngineTable;

/**
 * Ends an incremental repair of engine tables at its first message, whichever node coordinates it and whatever started
 * it, before any replica begins anti-compaction. Rows in the engine are never marked repaired: the repair would be
 * reported as a success, and other replicas would mark rows repaired that were not compared.
 */
public final class IncrementalRepairGate
{
    private static final Logger logger = LoggerFactory.getLogger(IncrementalRepairGate.class);

    private IncrementalRepairGate()
    {
    }

    /** Installs the filters. To be called once, when the node has started. */
    public static void install()
    {
        MessagingService.instance().inboundSink.add(IncrementalRepairGate::isAcceptable);
        MessagingService.instance().outboundSink.add((message, to) -> isSendable(message));
    }

    /** A coordinator without the plug-in gets a failure; the reason is in this node's log. */
    private static boolean isAcceptable(Message<?> message)
    {
        String tables = refusedTables(message);
        if (tables == null)
            return true;
        logger.error("{} Asked by {}.", reason(tables), message.from());
        RepairMessage.sendFailureResponse(SharedContext.Global.instance, message);
        return false;
    }

    /** This node coordinates: the exception ends the repair, and its message is reported. */
    private static boolean isSendable(Message<?> message)
    {
        String tables = refusedTables(message);
        if (tables != null)
            throw new UnsupportedOperationException(reason(tables));
        return true;
    }

    /** The engine tables that a message would begin an incremental repair of, or null. */
    private static String refusedTables(Message<?> message)
    {
        if (message.verb() != Verb.PREPARE_MSG || !(message.payload instanceof PrepareMessage))
            return null;
        PrepareMessage prepare = (PrepareMessage) message.payload;
        if (!prepare.isIncremental || prepare.previewKind.isPreview())
            return null;
        String tables = engineTables(prepare.tableIds);
        return tables.isEmpty() ? null : tables;
    }

    private static String engineTables(Collection<TableId> ids)
    {
        return ids.stream().map(Schema.instance::getTableMetadata)
                  .filter(table -> table != null && EngineTable.is(table))
                  .map(TableMetadata::toString)
                  .collect(Collectors.joining(", "));
    }

    private static String reason(String tables)
    {
        return "Incremental repair of Cassiterite tables (" + tables + ") is refused: rows in the engine are never marked " +
               "repaired. Repair in full (nodetool repair --full), or name the other tables of the keyspace.";
    }
}
