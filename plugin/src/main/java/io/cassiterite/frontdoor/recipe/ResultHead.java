/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.ResultSet;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.utils.MD5Digest;

/** Writes what precedes the rows of an answer, as Cassandra writes it for each protocol version. */
final class ResultHead
{
    private static final List<ProtocolVersion> VERSIONS = List.of(ProtocolVersion.V3, ProtocolVersion.V4, ProtocolVersion.V5);

    private ResultHead()
    {
    }

    static void write(QueryHandler.Prepared prepared, ResultSet.ResultMetadata metadata, ByteBuf out)
    {
        for (ProtocolVersion version : VERSIONS)
        {
            ByteBuf head = Unpooled.buffer();
            ResultSet.ResultMetadata.codec.encode(metadata.copy(), head, version);
            out.writeInt(head.readInt()).writeInt(head.readInt());
            out.writeInt(head.readableBytes()).writeBytes(head);
        }
        MD5Digest id = metadata.getResultMetadataId();
        out.writeBytes(id.bytes);
        out.writeByte(id.equals(prepared.resultMetadataId) ? 1 : 0);
    }
}
