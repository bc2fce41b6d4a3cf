/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.apache.cassandra.cql3.FieldIdentifier;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.BooleanType;
import org.apache.cassandra.db.marshal.ByteType;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.CounterColumnType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.InetAddressType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.IntegerType;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.SimpleDateType;
import org.apache.cassandra.db.marshal.TimeType;
import org.apache.cassandra.db.marshal.TimeUUIDType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.TupleType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.db.marshal.VectorType;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;

/** Random schemas with columns of every type. */
final class RandomTable
{
    static final List<AbstractType<?>> NATIVE = Arrays.asList(
        AsciiType.instance, UTF8Type.instance, BytesType.instance, Int32Type.instance, LongType.instance,
        ShortType.instance, ByteType.instance, IntegerType.instance, DecimalType.instance, FloatType.instance,
        DoubleType.instance, BooleanType.instance, TimestampType.instance, SimpleDateType.instance, TimeType.instance,
        UUIDType.instance, TimeUUIDType.instance, InetAddressType.instance);

    private RandomTable()
    {
    }

    static TableMetadata counters(Random random)
    {
        return base(random).isCounter(true)
                           .addStaticColumn("s", CounterColumnType.instance)
                           .addRegularColumn("a", CounterColumnType.instance)
                           .addRegularColumn("b", CounterColumnType.instance).build();
    }

    static TableMetadata any(Random random)
    {
        TableMetadata.Builder builder = base(random);
        int statics = random.nextInt(4);
        for (int i = 0; i < statics; i++)
            builder.addStaticColumn("s" + i, columnType(random));
        int regulars = random.nextInt(10) == 0 ? 40 + random.nextInt(40) : random.nextInt(8);
        for (int i = 0; i < regulars; i++)
            builder.addRegularColumn("c" + i, columnType(random));
        return builder.build();
    }

    private static TableMetadata.Builder base(Random random)
    {
        TableMetadata.Builder builder = TableMetadata.builder("ks", "t").partitioner(Murmur3Partitioner.instance)
                                                     .addPartitionKeyColumn("pk", BytesType.instance);
        int clusterings = 1 + random.nextInt(3);
        for (int i = 0; i < clusterings; i++)
            builder.addClusteringColumn("ck" + i, clusteringType(random));
        return builder;
    }

    static AbstractType<?> clusteringType(Random random)
    {
        AbstractType<?> type = random.nextInt(8) == 0 ? frozenType(random) : pick(random, NATIVE);
        return random.nextInt(3) == 0 ? ReversedType.getInstance(type) : type;
    }

    /** What may be a clustering's component or an element's path: values within values, too. */
    static AbstractType<?> keyType(Random random)
    {
        AbstractType<?> type = nestedType(random, 2);
        return random.nextInt(3) == 0 ? ReversedType.getInstance(type) : type;
    }

    private static AbstractType<?> nestedType(Random random, int levels)
    {
        if (levels == 0)
            return pick(random, NATIVE);
        AbstractType<?> inner = nestedType(random, levels - 1);
        switch (random.nextInt(7))
        {
            case 0: return ListType.getInstance(inner, false);
            case 1: return SetType.getInstance(inner, false);
            case 2: return MapType.getInstance(inner, pick(random, NATIVE), false);
            case 3: return new TupleType(Arrays.asList(inner, pick(random, NATIVE)));
            case 4: return new TupleType(Arrays.asList(pick(random, NATIVE), inner));
            case 5: return VectorType.getInstance(inner, 1 + random.nextInt(2));
            default: return inner;
        }
    }

    static AbstractType<?> columnType(Random random)
    {
        switch (random.nextInt(8))
        {
            case 0: return ListType.getInstance(pick(random, NATIVE), true);
            case 1: return SetType.getInstance(pick(random, NATIVE), true);
            case 2: return MapType.getInstance(pick(random, NATIVE), pick(random, NATIVE), true);
            case 3: return userType(random, true);
            case 4: return frozenType(random);
            default: return pick(random, NATIVE);
        }
    }

    private static AbstractType<?> frozenType(Random random)
    {
        switch (random.nextInt(5))
        {
            case 0: return ListType.getInstance(pick(random, NATIVE), false);
            case 1: return SetType.getInstance(pick(random, NATIVE), false);
            case 2: return MapType.getInstance(pick(random, NATIVE), pick(random, NATIVE), false);
            case 3: return userType(random, false);
            default: return new TupleType(Arrays.asList(pick(random, NATIVE), pick(random, NATIVE)));
        }
    }

    private static UserType userType(Random random, boolean multiCell)
    {
        return new UserType("ks", ByteBufferUtil.bytes("u"),
                            Arrays.asList(FieldIdentifier.forUnquoted("f"), FieldIdentifier.forUnquoted("g")),
                            Arrays.asList(pick(random, NATIVE), pick(random, NATIVE)), multiCell);
    }

    static <T> T pick(Random random, List<T> values)
    {
        return values.get(random.nextInt(values.size()));
    }
}
