/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.disk;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;

import io.cassiterite.nodetest.Cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** A table of blobs computed from their keys, and which of its rows the node has acknowledged. Used by one thread. */
public final class Blobs
{
    private final String table;
    private final int valueBytes;
    private final BitSet acknowledged = new BitSet();
    private int next;

    public Blobs(String table, int valueBytes)
    {
        this.table = table;
        this.valueBytes = valueBytes;
    }

    public void create(Cql cql)
    {
        cql.run("CREATE TABLE " + table + " (k int PRIMARY KEY, v blob) WITH memtable = 'cassiterite'");
    }

    /** Writes so many rows, all of which must be acknowledged. */
    public void write(Cql cql, int rows)
    {
        RuntimeException failure = writeUntilFailure(cql, rows);
        if (failure != null)
            throw failure;
    }

    /** @return the server's error, or null if all of the rows were written */
    public CoordinatorException writeUntilFailure(Cql cql, int rowsMax)
    {
        PreparedStatement insert = cql.session().prepare("INSERT INTO " + table + " (k, v) VALUES (?, ?)");
        for (int row = 0; row < rowsMax; row++)
        {
            int key = next++;
            try
            {
                cql.session().execute(insert.bind(key, value(key)));
            }
            catch (CoordinatorException e)
            {
                return e;
            }
            acknowledged.set(key);
        }
        return null;
    }

    /** Every acknowledged row is there as it was written, and no row is there as it was not. */
    public void checkAll(Cql cql)
    {
        assertEquals(0, failingReads(cql), "reads failed");
    }

    /** @return how many of the acknowledged rows cannot be read; the others are checked */
    public int failingReads(Cql cql)
    {
        assertFalse(acknowledged.isEmpty());
        PreparedStatement select = cql.session().prepare("SELECT v FROM " + table + " WHERE k = ?");
        int failing = 0;
        for (int key = 0; key < next; key++)
        {
            List<Row> rows;
            try
            {
                rows = cql.session().execute(select.bind(key)).all();
            }
            catch (DriverException e)
            {
                failing++;
                continue;
            }
            if (acknowledged.get(key))
                assertEquals(1, rows.size(), "row " + key + " was acknowledged and is gone");
            for (Row row : rows)
                assertEquals(value(key), row.getByteBuffer("v"), "row " + key);
        }
        return failing;
    }

    public int acknowledgedRows()
    {
        return acknowledged.cardinality();
    }

    private ByteBuffer value(int key)
    {
        byte[] value = new byte[valueBytes];
        new Random(key).nextBytes(value);
        return ByteBuffer.wrap(value);
    }
}
