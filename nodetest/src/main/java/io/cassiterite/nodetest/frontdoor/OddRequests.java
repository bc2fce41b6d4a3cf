/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Executions that a driver would not make, or seldom: wrong values, wrong options, wrong ids. One thread. */
final class OddRequests
{
    private static final int KEY_BYTES_MAX = 65_535;

    private static final int[] OPCODES = { 0, 1, 2, 3, 4, 6, 12, 14, 15, 16, 17, 100 };

    private final Random random;

    OddRequests(Random random)
    {
        this.random = random;
    }

    /** @param other of the same node */
    Request next(Statement statement, Options options, Statement other, int version)
    {
        switch (random.nextInt(4))
        {
            case 0:
                oddValue(statement, options);
                break;
            case 1:
                return oddOptions(statement, options, version);
            case 2:
                return oddIds(statement, options, other, version);
            default:
                return oddMessage(statement, options, version);
        }
        return execute(statement, options, version);
    }

    /** Each may be refused as it is read, which ends a connection of version 3 or 4. */
    private static Request execute(Statement statement, Options options, int version)
    {
        return Requests.execute(statement, options, version).alone();
    }

    private void oddValue(Statement statement, Options options)
    {
        List<byte[]> values = options.values;
        if (values.isEmpty())
        {
            values.add(new byte[4]);
            return;
        }
        int at = random.nextInt(values.size());
        byte[] value = values.get(at);
        switch (random.nextInt(7))
        {
            case 0:
                if (statement.takesNull)
                    values.set(at, null);
                break;
            case 1:
                if (statement.takesNull)
                    values.set(at, Options.UNSET);
                break;
            case 2:
                values.set(at, new byte[0]);
                break;
            case 3:
                values.set(at, Arrays.copyOf(value, random.nextInt(value.length + 3)));
                break;
            case 4:
                values.remove(at);
                break;
            case 5:
                values.add(value);
                break;
            default:
                // Written, a key of that length makes paging states that version 3 has no room for: never answered.
                boolean isLong = statement.isSelect() && random.nextBoolean();
                values.set(at, isLong ? new byte[KEY_BYTES_MAX + random.nextInt(2)] : filled(1 + random.nextInt(20)));
        }
    }

    /** Short, because a long decimal whose scale is huge keeps Cassandra busy for minutes. */
    private byte[] filled(int length)
    {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) random.nextInt());
        return bytes;
    }

    private Request oddOptions(Statement statement, Options options, int version)
    {
        switch (random.nextInt(9))
        {
            case 0:
                options.pageSize = List.of(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE).get(random.nextInt(4));
                break;
            case 1:
                options.serialConsistency = random.nextInt(11);
                break;
            case 2:
                options.timestamp = random.nextBoolean() ? Timestamps.micros(random) : Long.MIN_VALUE;
                break;
            case 3:
                options.keyspace = random.nextBoolean() ? "system" : "nowhere";
                break;
            case 4:
                options.names = statement.names.size() == options.values.size() ? statement.names : null;
                break;
            case 5:
                options.names = Collections.nCopies(options.values.size(), "nobody");
                break;
            case 6:
                options.consistency = 12 + random.nextInt(100);
                break;
            case 7:
                options.moreFlags = version < 5 ? 0x80 : 1 << (9 + random.nextInt(20));
                break;
            default:
                options.pagingState = oddState(options.pagingState);
        }
        return execute(statement, options, version);
    }

    private byte[] oddState(byte[] state)
    {
        byte[] odd = state == null ? new byte[random.nextInt(20)] : state.clone();
        if (state == null)
            random.nextBytes(odd);
        else if (odd.length > 0)
            odd[random.nextInt(odd.length)] ^= (byte) (1 << random.nextInt(8));
        return odd;
    }

    private Request oddIds(Statement statement, Options options, Statement other, int version)
    {
        byte[] unknown = new byte[16];
        random.nextBytes(unknown);
        byte[] none = new byte[0];
        switch (random.nextInt(5))
        {
            case 0:
                return Requests.execute(statement, unknown, statement.metadataId, options, version, none).alone();
            case 1:
                return Requests.execute(statement, Arrays.copyOf(statement.id, random.nextInt(20)), statement.metadataId, options, version,
                                        none).alone();
            case 2:
                return Requests.execute(statement, statement.id, unknown, options, version, none).alone();
            case 3:
                return Requests.execute(statement, statement.id, statement.formerMetadataId, options, version, none).alone();
            default:
                return Requests.execute(other, other.id == null ? unknown : other.id, statement.metadataId, options, version, none).alone();
        }
    }

    private Request oddMessage(Statement statement, Options options, int version)
    {
        switch (random.nextInt(6))
        {
            case 0:
                return execute(statement, options, version).with(Envelope.TRACING);
            case 1:
                return Requests.withPayload(execute(statement, options, version), Map.of("door", new byte[]{ 1, 2 })).alone();
            case 2:
                byte[] trailing = new byte[1 + random.nextInt(10)];
                return Requests.execute(statement, statement.id, statement.metadataId, options, version, trailing).alone();
            case 3:
                Request whole = execute(statement, options, version);
                byte[] body = Arrays.copyOf(whole.body, random.nextInt(whole.body.length));
                return new Request(Envelope.EXECUTE, body, whole.text + " cut to " + body.length + " bytes").alone();
            case 4:
                return execute(statement, options, version).with(Envelope.WARNING);
            default:
                return new Request(OPCODES[random.nextInt(OPCODES.length)], new byte[3], "an odd opcode").last();
        }
    }
}
