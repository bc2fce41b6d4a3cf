/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.SpoiltBytes;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineTestAccess;

/** Any bytes of a fragment give a row or a MalformedFragmentException. */
class MalformedFragmentProperties
{
    private final DirectOutput out = new DirectOutput();

    @BeforeContainer
    static void initialize()
    {
        TestNode.initialize();
    }

    @Property(tries = 3000)
    void rowsAreReadOrRefused(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = random.nextInt(6) == 0 ? RandomTable.counters(random) : RandomTable.any(random);
        Columns columns = new Columns(metadata, EngineTestAccess.columnIds(metadata, random));
        boolean isStatic = random.nextInt(4) == 0 && !metadata.staticColumns().isEmpty();
        RandomRow rows = new RandomRow(random, metadata);
        Row row = rows.row(isStatic ? Clustering.STATIC_CLUSTERING : rows.clustering());
        out.clear();
        if (!new FragmentWriter().writeRow(out, row, columns))
            return;
        ByteBuffer in = spoilt(random);
        ColumnSelection selection = random.nextBoolean() ? null : new ColumnSelection(ColumnFilter.all(metadata), columns);
        try
        {
            FragmentReader.local().read(in, 0, in.limit(), columns, selection, isStatic);
        }
        catch (MalformedFragmentException e)
        {
            // as documented
        }
    }

    @Property(tries = 3000)
    void headersAreReadOrRefused(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        out.clear();
        if (!new HeaderWriter().write(out, new KeyEncoder(metadata.comparator), new RandomRow(random, metadata).deletionInfo()))
            return;
        ByteBuffer in = spoilt(random);
        try
        {
            HeaderReader.read(in, 0, in.limit(), metadata.comparator);
        }
        catch (MalformedFragmentException e)
        {
            // as documented
        }
    }

    private ByteBuffer spoilt(Random random)
    {
        return ByteBuffer.wrap(SpoiltBytes.of(out.copyFrom(0), random)).order(ByteOrder.LITTLE_ENDIAN);
    }
}
