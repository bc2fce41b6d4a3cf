/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.ByteBufferUtil;

import io.cassiterite.engine.Store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** A schema that lacks a column, restored or pulled from a peer, does not delete its values; one that has dropped it does. */
class HiddenColumnTest
{
    private static final ByteBuffer W = UTF8Type.instance.decompose("w");
    private static final DecoratedKey KEY = Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(1));
    private static final long DROPPED_MICROS = 1_700_000_000_123_456L;

    private static Store store;

    private final TableMetadata without = TableMetadata.builder("ks", "t", TableId.generate())
                                                       .partitioner(Murmur3Partitioner.instance)
                                                       .addPartitionKeyColumn("p", Int32Type.instance)
                                                       .addRegularColumn("v", Int32Type.instance)
                                                       .build();
    private final TableMetadata with = withColumn(without);

    @BeforeAll
    static void open()
    {
        TestMemtable.initialize();
        store = TestMemtable.openStore("hidden");
    }

    @AfterAll
    static void close()
    {
        if (store != null)
            store.close();
    }

    @Test
    void aColumnThatIsOnlyMissingComesBackWithItsValues()
    {
        write(with, 7);
        rewrite(without);
        assertEquals(7, value(with));
    }

    @Test
    void aDroppedColumnComesBackEmpty()
    {
        write(with, 7);
        rewrite(dropped(DROPPED_MICROS));
        assertNull(value(withColumn(dropped(DROPPED_MICROS))));
    }

    @Test
    void aColumnThatWasAddedAgainOutlivesTheDropThatTheSchemaStillNames()
    {
        write(with, 7);
        TestMemtable.open(store, dropped(DROPPED_MICROS));
        TableMetadata again = withColumn(dropped(DROPPED_MICROS));
        write(again, 8);
        rewrite(again);
        rewrite(dropped(DROPPED_MICROS));
        assertEquals(8, value(again));
        rewrite(dropped(DROPPED_MICROS + 1000));
        assertNull(value(again));
    }

    @Test
    void aWriteThatComesBeforeTheMemtableHearsOfADropIsOfTheColumnThatWasAddedSince()
    {
        TableMetadata again = withColumn(dropped(DROPPED_MICROS));
        TableMetadataRef ref = TableMetadataRef.forOfflineTools(with);
        CassiteriteMemtable memtable = TestMemtable.open(store, ref);
        TestMemtable.change(ref, again);
        TestMemtable.put(memtable, update(again, 8));
        memtable.metadataUpdated();
        assertEquals(8, value(again));
    }

    /** In the schema's tables, which the next start reads, times have milliseconds. */
    @Test
    void aDropIsTheSameBeforeAndAfterARestart()
    {
        long inTables = DROPPED_MICROS / 1000 * 1000;
        write(with, 7);
        TestMemtable.open(store, dropped(inTables));
        write(withColumn(dropped(inTables)), 8);
        TestMemtable.open(store, dropped(DROPPED_MICROS));
        rewrite(withColumn(dropped(DROPPED_MICROS)));
        assertEquals(8, value(withColumn(dropped(inTables))));
    }

    private static TableMetadata withColumn(TableMetadata metadata)
    {
        return metadata.unbuild().addRegularColumn("w", Int32Type.instance).build();
    }

    private TableMetadata dropped(long micros)
    {
        return without.unbuild().recordColumnDrop(with.getColumn(W), micros).build();
    }

    private static void write(TableMetadata metadata, int value)
    {
        TestMemtable.put(TestMemtable.open(store, metadata), update(metadata, value));
    }

    /** At a time after every drop, so that Cassandra's own filter of dropped columns leaves it in. */
    private static PartitionUpdate update(TableMetadata metadata, int value)
    {
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, 1).timestamp(2 * DROPPED_MICROS);
        update.row().add("v", 1).add("w", value);
        return update.build();
    }

    /** What compaction makes of the table under this schema. */
    private static void rewrite(TableMetadata metadata)
    {
        TestMemtable.open(store, metadata).table().compact();
    }

    private static Integer value(TableMetadata metadata)
    {
        ColumnMetadata column = metadata.getColumn(W);
        try (UnfilteredRowIterator rows = TestMemtable.open(store, metadata).rowIterator(KEY))
        {
            Cell<?> cell = ((Row) rows.next()).getCell(column);
            return cell == null ? null : ByteBufferUtil.toInt(cell.buffer());
        }
    }
}
