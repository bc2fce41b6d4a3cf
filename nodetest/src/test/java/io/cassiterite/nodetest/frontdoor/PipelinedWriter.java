/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A client of many streams of which the front door answers nothing at first: it writes rows by EXECUTE, and reads some of
 * them by QUERY. Every request must get its one answer. One thread; the others may look at {@link #answered}.
 */
final class PipelinedWriter implements Callable<Void>, AutoCloseable
{
    private static final int STREAMS = 64;
    private static final int KEYS = 2_000;
    private static final int TOGETHER = 40;
    private static final int ONE_IN_QUERY = 5;
    private static final int ONE_IN_LARGE = 50;
    private static final int ONE_IN_OTHER = 10;
    private static final int LARGE_BYTES = 30_000;
    private static final int SMALL_BYTES = 100;

    final Connection connection;
    private final int version;
    private final String table;
    private final int firstKey;
    private final Random random;
    private final Statement insert = new Statement(new Random(1));
    private final Statement select = new Statement(new Random(2));
    /** By stream, the value that the answer to a read has. */
    private final Map<Integer, byte[]> reads = new HashMap<>();
    /** By stream, the numbers of writes that are not answered yet. */
    private final Map<Integer, Integer> writes = new HashMap<>();
    private int written;
    private int nextStream;
    private volatile boolean isOver;
    private volatile boolean executesReads;
    private volatile int answered;

    /** @param table has a key of type int, k, and a value of type blob, v */
    PipelinedWriter(InetSocketAddress node, Connection.Setup setup, String table, int number) throws IOException
    {
        connection = new Connection(node, setup);
        version = setup.version;
        this.table = table;
        firstKey = number * KEYS;
        random = new Random(number);
        prepare(insert.add("INSERT INTO " + table + " (k, v) VALUES (?, ?)"));
        prepare(select.add("SELECT v FROM " + table + " WHERE k = ?"));
    }

    private void prepare(Statement statement) throws IOException
    {
        statement.prepared(new Answer(connection.call(Requests.prepare(statement, null, version).envelope(version, 0))).preparedIds());
    }

    int answered()
    {
        return answered;
    }

    /** Makes nearly all requests reads that the front door may answer. */
    void executeReads()
    {
        executesReads = true;
    }

    /** Makes {@link #call} return. */
    void finish()
    {
        isOver = true;
    }

    /** Writes and reads until {@link #finish}. */
    @Override
    public Void call() throws IOException
    {
        isOver = false;
        while (!isOver)
        {
            List<Envelope> requests = new ArrayList<>();
            for (int i = Math.min(1 + random.nextInt(TOGETHER), STREAMS - underWay()); i > 0; i--)
                requests.add(next());
            connection.send(requests, random, true);
            read(random.nextInt(underWay() + 1));
        }
        read(underWay());
        return null;
    }

    private int underWay()
    {
        return reads.size() + writes.size();
    }

    private Envelope next()
    {
        int stream = nextStream++ % Short.MAX_VALUE;
        // Cassandra may be slow about a write, and fast about those behind it.
        int sure = writes.values().stream().mapToInt(write -> write).min().orElse(written);
        boolean executes = executesReads && random.nextInt(ONE_IN_OTHER) > 0;
        if (sure > 0 && (executes || random.nextInt(ONE_IN_QUERY) == 0))
        {
            int key = firstKey + random.nextInt(Math.min(sure, KEYS));
            reads.put(stream, value(key));
            if (executes)
                return execute(select, stream, key(key));
            return Requests.query("SELECT v FROM " + table + " WHERE k = " + key, version).envelope(version, stream);
        }
        int key = firstKey + written % KEYS;
        writes.put(stream, written++);
        return execute(insert, stream, key(key), value(key));
    }

    private Envelope execute(Statement statement, int stream, byte[]... values)
    {
        Options options = new Options();
        options.values.addAll(List.of(values));
        return Requests.execute(statement, options, version).envelope(version, stream);
    }

    private static byte[] key(int key)
    {
        return ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
    }

    private static byte[] value(int key)
    {
        byte[] value = new byte[key % ONE_IN_LARGE == 0 ? LARGE_BYTES : SMALL_BYTES];
        new Random(key).nextBytes(value);
        return value;
    }

    private void read(int answers) throws IOException
    {
        for (int i = 0; i < answers; i++)
        {
            Envelope answer = connection.read();
            byte[] value = reads.remove(answer.stream);
            assertTrue(value != null || writes.remove(answer.stream) != null, () -> "not asked: " + Text.of(answer));
            assertTrue(new Answer(answer).isResult(value == null ? Answer.VOID : Answer.ROWS), () -> Text.of(answer));
            if (value != null)
                assertArrayEquals(value, tail(answer.body, value.length));
            answered++;
        }
    }

    /** The end of a body, which is that of its last value. */
    private static byte[] tail(byte[] body, int length)
    {
        int from = body.length - length;
        assertEquals(length, ByteBuffer.wrap(body).getInt(from - Integer.BYTES));
        return Arrays.copyOfRange(body, from, body.length);
    }

    @Override
    public void close() throws IOException
    {
        connection.close();
    }
}
