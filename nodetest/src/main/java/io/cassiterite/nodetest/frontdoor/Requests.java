/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes requests of statements and options. */
final class Requests
{
    private static final byte[] NO_ID = new byte[16];

    private Requests()
    {
    }

    static Request prepare(Statement statement, String keyspace, int version)
    {
        Body body = new Body().longString(statement.cql());
        if (version >= 5)
            body.i32(keyspace == null ? 0 : 1);
        if (version >= 5 && keyspace != null)
            body.string(keyspace);
        return new Request(Envelope.PREPARE, body.bytes(), "PREPARE " + statement.cql() + (keyspace == null ? "" : " in " + keyspace));
    }

    static Request execute(Statement statement, Options options, int version)
    {
        return execute(statement, statement.id, statement.metadataId, options, version, new byte[0]);
    }

    /** @param trailing bytes after the end of what the protocol has */
    static Request execute(Statement statement, byte[] id, byte[] metadataId, Options options, int version, byte[] trailing)
    {
        Body body = new Body().shortBytes(id);
        if (version >= 5)
            body.shortBytes(metadataId == null ? NO_ID : metadataId);
        options.write(body, version);
        body.raw(trailing);
        return new Request(Envelope.EXECUTE, body.bytes(), "EXECUTE " + statement.cql() + ' ' + options);
    }

    static Request query(String cql, Options options, int version)
    {
        Body body = new Body().longString(cql);
        options.write(body, version);
        return new Request(Envelope.QUERY, body.bytes(), "QUERY " + cql + ' ' + options);
    }

    static Request query(String cql, int version)
    {
        return query(cql, new Options(), version);
    }

    /** @param type 0 logged, 1 unlogged, 2 counter; others are none */
    static Request batch(int type, List<Statement> statements, Options options, int version, Random random)
    {
        Body body = new Body().u8(type).u16(statements.size());
        StringBuilder text = new StringBuilder("BATCH of type " + type);
        for (Statement statement : statements)
        {
            boolean prepared = statement.id != null && random.nextBoolean();
            body.u8(prepared ? 1 : 0);
            if (prepared)
                body.shortBytes(statement.id);
            else
                body.longString(statement.cql());
            List<byte[]> values = statement.draw(random);
            Options.writeValues(body, values);
            text.append("; ").append(statement.cql()).append(values.stream().map(Text::hex).toList());
        }
        options.values.clear();
        options.write(body, version);
        return new Request(Envelope.BATCH, body.bytes(), text + " " + options);
    }

    static Request options()
    {
        return new Request(Envelope.OPTIONS, new byte[0], "OPTIONS");
    }

    /** @return the request with a custom payload before its body */
    static Request withPayload(Request request, Map<String, byte[]> payload)
    {
        Body body = new Body().u16(payload.size());
        payload.forEach((key, value) -> body.string(key).value(value));
        return new Request(request.opcode, body.raw(request.body).bytes(), request.text + " with a payload").with(request.flags)
                                                                                                          .with(Envelope.CUSTOM_PAYLOAD);
    }
}
