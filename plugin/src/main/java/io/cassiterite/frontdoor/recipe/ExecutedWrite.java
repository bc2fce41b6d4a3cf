/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.transport.CBUtil;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.utils.MD5Digest;

/** What a client's EXECUTE writes, made again of its body. */
public final class ExecutedWrite
{
    private static final int ID_BYTES = 16;
    /** Of the id's length. */
    private static final int SHORT_BYTES = 2;

    private ExecutedWrite()
    {
    }

    /** @param body of an EXECUTE that the door has known */
    public static MD5Digest statementId(byte[] body)
    {
        return MD5Digest.wrap(Arrays.copyOfRange(body, SHORT_BYTES, SHORT_BYTES + ID_BYTES));
    }

    /**
     * @param statement   the one with the id
     * @param version     of the protocol
     * @param beganMillis when it was written, in milliseconds since the epoch: local deletion times are of then
     */
    public static PartitionUpdate update(ModificationStatement statement, int version, byte[] body, long beganMillis)
    {
        ProtocolVersion protocol = ProtocolVersion.decode(version, true);
        ByteBuf in = Unpooled.wrappedBuffer(body);
        CBUtil.readBytes(in);
        if (protocol.isGreaterOrEqualTo(ProtocolVersion.V5))
            CBUtil.readBytes(in);
        QueryOptions options = QueryOptions.codec.decode(in, protocol);
        options.prepare(statement.getBindVariables());
        long nowSeconds = options.getNowInSec(TimeUnit.MILLISECONDS.toSeconds(beganMillis));
        return ProbedWrite.of(statement, options, options.getTimestamp(null), nowSeconds).update;
    }
}
