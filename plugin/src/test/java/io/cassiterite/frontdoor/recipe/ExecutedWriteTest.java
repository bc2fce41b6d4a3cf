/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.transport.messages.ExecuteMessage;
import org.apache.cassandra.utils.MD5Digest;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** A hint has what the client's EXECUTE wrote, at its time of writing. */
@OwnJvm
class ExecutedWriteTest
{
    private static final long TIMESTAMP = 1_700_000_000_123_456L;
    private static final long BEGAN_MS = 1_700_000_001_999L;
    /** As the codec leaves it out. */
    private static final long UNSET_NOW = Long.MIN_VALUE;

    private static TableMetadata table;

    @BeforeAll
    static void create()
    {
        table = new TestSchema().create("CREATE TABLE k.t (k int, c text, v text, w int, PRIMARY KEY (k, c))");
    }

    private static PartitionUpdate update(int version, String cql, ByteBuffer... values)
    {
        QueryHandler.Prepared prepared = QueryProcessor.parseAndPrepare(cql, ClientState.forInternalCalls(), false, false);
        MD5Digest id = TestSchema.id(prepared);
        byte[] body = body(id, ProtocolVersion.decode(version, true), values);
        assertEquals(id, ExecutedWrite.statementId(body));
        return ExecutedWrite.update((ModificationStatement) prepared.statement, version, body, BEGAN_MS);
    }

    private static byte[] body(MD5Digest id, ProtocolVersion version, ByteBuffer... values)
    {
        QueryOptions options = QueryOptions.create(ConsistencyLevel.LOCAL_QUORUM, List.of(values), true, -1, null, null, version, null,
                                                   TIMESTAMP, UNSET_NOW);
        ExecuteMessage message = new ExecuteMessage(id, MD5Digest.compute("metadata"), options);
        ByteBuf out = Unpooled.buffer();
        ExecuteMessage.codec.encode(message, out, version);
        byte[] body = new byte[out.readableBytes()];
        out.readBytes(body);
        return body;
    }

    private static Row only(PartitionUpdate update)
    {
        assertEquals(table.id, update.metadata().id);
        assertEquals(Int32Type.instance.decompose(7), update.partitionKey().getKey());
        assertEquals(1, update.rowCount());
        return update.iterator().next();
    }

    @ParameterizedTest
    @ValueSource(ints = { 4, 5 })
    void whatWasInsertedIsHinted(int version)
    {
        Row row = only(update(version, "INSERT INTO k.t (k, c, v) VALUES (?, ?, ?)", Int32Type.instance.decompose(7),
                              UTF8Type.instance.decompose("c"), UTF8Type.instance.decompose("written")));
        assertEquals(UTF8Type.instance.decompose("c"), row.clustering().bufferAt(0));
        assertEquals(TIMESTAMP, row.primaryKeyLivenessInfo().timestamp());
        assertEquals(TIMESTAMP, row.cells().iterator().next().timestamp());
        assertEquals(UTF8Type.instance.decompose("written"), row.cells().iterator().next().buffer());
        assertEquals(1, row.columnCount());
    }

    /** By the clock of then: Cassandra purges a deletion by when it was made. */
    @ParameterizedTest
    @ValueSource(ints = { 4, 5 })
    void whatWasDeletedIsHintedAsOfThen(int version)
    {
        Row row = only(update(version, "DELETE FROM k.t WHERE k = ? AND c = ?", Int32Type.instance.decompose(7),
                              UTF8Type.instance.decompose("c")));
        assertFalse(row.deletion().isLive());
        assertEquals(TIMESTAMP, row.deletion().time().markedForDeleteAt());
        assertEquals(BEGAN_MS / 1_000, row.deletion().time().localDeletionTime());
    }
}
