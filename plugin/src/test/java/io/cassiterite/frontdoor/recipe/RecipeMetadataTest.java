/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;
import java.util.stream.Collectors;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.ResultSet;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.transport.messages.ResultMessage;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What a recipe says of the result's columns is what Cassandra tells clients. */
@OwnJvm
class RecipeMetadataTest
{
    private static final List<ProtocolVersion> VERSIONS = List.of(ProtocolVersion.V3, ProtocolVersion.V4, ProtocolVersion.V5);

    private static TestSchema schema;

    @BeforeAll
    static void create()
    {
        schema = new TestSchema();
        schema.createType("CREATE TYPE k.place (x int, y date)");
        schema.create("CREATE TABLE k.wide (k int, c smallint, s frozen<place> static, v date, t time, l list<tinyint>, u place,"
                      + " d duration, \"Ünï\" text, PRIMARY KEY (k, c))");
    }

    private static QueryHandler.Prepared prepare(String cql)
    {
        return QueryProcessor.parseAndPrepare(cql, ClientState.forInternalCalls(), false, false);
    }

    @Test
    void itIsWhatCassandraWritesForEachProtocol()
    {
        for (String columns : List.of("*", "v", "u, k, \"Ünï\", c, s"))
        {
            QueryHandler.Prepared prepared = prepare("SELECT " + columns + " FROM k.wide WHERE k = ? AND c = ?");
            RecipeDump recipe = new RecipeDump(schema.learn(prepared).recipe());
            ResultSet.ResultMetadata metadata = ((SelectStatement) prepared.statement).getResultMetadata();
            for (ProtocolVersion version : VERSIONS)
            {
                ByteBuf answer = Unpooled.buffer();
                ResultMessage.codec.encode(new ResultMessage.Rows(new ResultSet(metadata)), answer, version);
                // kind before it, number of rows after it
                ByteBuf expected = answer.slice(4, answer.readableBytes() - 8);
                assertEquals(expected, Unpooled.wrappedBuffer(recipe.metadata.get(version.asInt() - 3)), version + " " + columns);
            }
        }
    }

    @Test
    void itIsReadableForClients()
    {
        RecipeDump recipe = new RecipeDump(schema.learn("SELECT u, k, \"Ünï\" FROM k.wide WHERE k = ? AND c = ?").recipe());
        for (ProtocolVersion version : VERSIONS)
        {
            ResultSet.ResultMetadata metadata = recipe.metadata(version);
            assertEquals(List.of(ResultSet.Flag.GLOBAL_TABLES_SPEC), List.copyOf(metadata.getFlags()));
            assertEquals(List.of("u", "k", "Ünï"), metadata.names.stream().map(name -> name.name.toString()).collect(Collectors.toList()));
        }
    }

    @Test
    void skippedMetadataIsFlagsAndCountWithoutTheRest()
    {
        QueryHandler.Prepared prepared = prepare("SELECT v, t FROM k.wide WHERE k = ? AND c = ?");
        RecipeDump recipe = new RecipeDump(schema.learn(prepared).recipe());
        ResultSet.ResultMetadata skipped = ((SelectStatement) prepared.statement).getResultMetadata().copy();
        skipped.setSkipMetadata();
        for (ProtocolVersion version : VERSIONS)
        {
            ByteBuf expected = Unpooled.buffer();
            ResultSet.ResultMetadata.codec.encode(skipped, expected, version);
            ByteBuf full = Unpooled.wrappedBuffer(recipe.metadata.get(version.asInt() - 3));
            assertEquals(expected, Unpooled.buffer().writeInt(full.readInt() | 4).writeInt(full.readInt()));
        }
    }
}
