/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.BooleanType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.ByteType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.IntegerType;
import org.apache.cassandra.db.marshal.LexicalUUIDType;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.TupleType;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;
import org.apache.cassandra.utils.bytecomparable.ByteSourceInverse;

import io.cassiterite.engine.DirectOutput;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Keys of bytes that pass Cassandra's checks, though no driver writes them. */
class OddKeysTest
{
    private static final ListType<Integer> LIST = ListType.getInstance(Int32Type.instance, false);
    private static final MapType<Integer, Integer> MAP = MapType.getInstance(Int32Type.instance, Int32Type.instance, false);

    @BeforeAll
    static void initialize()
    {
        TestNode.initialize();
    }

    @Test
    void collectionsWithACountBelowZeroSortByItBeforeTheEmptyOne()
    {
        for (AbstractType<?> type : List.of(LIST, MAP))
        {
            inOrder(type, "80000000", "fffffffe", "ffffffff", "00000000");
            inOrder(ReversedType.getInstance(type), "00000000", "ffffffff", "fffffffe", "80000000");
            inOrder(new TupleType(List.of(type)), "", "ffffffff", "00000004ffffffff", "0000000400000000");
        }
        inOrder(LIST, "ffffffff", "00000000", "000000010000000400000000");
    }

    @Test
    void aCountIsNotBelievedBeyondItsBytes()
    {
        assertTrue(form(LIST, "7fffffff").length < 20);
        assertTrue(form(MAP, "7fffffff00000000").length < 20);
    }

    @Test
    void decimalsWithoutDigitsAreKeysBehindAllOthers()
    {
        ByteBuffer large = DecimalType.instance.decompose(new BigDecimal(BigInteger.ONE, Integer.MIN_VALUE));
        inOrder(DecimalType.instance, ByteBufferUtil.bytesToHex(large), "00000000", "00000001", "ffffffff");
        inOrder(ReversedType.getInstance(DecimalType.instance), "ffffffff", "00000001", "00000000", ByteBufferUtil.bytesToHex(large));
    }

    @Test
    void varintsAreTheSameBehindAnyNumberOfSignBytes()
    {
        for (String digits : new String[]{ "00", "01", "7f", "80", "ff", "0080", "ff7f", "7fffffffffffffff", "80ffffffffffff" })
        {
            String sign = Integer.parseInt(digits.substring(0, 2), 16) < 0x80 ? "00" : "ff";
            for (int i = 1; i < 20; i++)
                assertArrayEquals(form(IntegerType.instance, digits), form(IntegerType.instance, sign.repeat(i) + digits), digits);
        }
    }

    /** Cassandra's own form divides the whole number for each two of its digits. */
    @Test
    void aDecimalOfAsManyDigitsAsAKeyHoldsIsWrittenAtOnce()
    {
        byte[] digits = new byte[60_000];
        Arrays.fill(digits, (byte) 0x5A);
        ByteBuffer value = ByteBuffer.allocate(Integer.BYTES + digits.length).putInt(7).put(digits).flip();
        byte[] form = form(DecimalType.instance, value);
        digits[digits.length - 1]++;
        byte[] next = form(DecimalType.instance, ByteBuffer.allocate(Integer.BYTES + digits.length).putInt(7).put(digits).flip());
        assertTrue(form.length > 70_000);
        assertTrue(Arrays.compareUnsigned(form, next) < 0);
    }

    @Test
    void decimalsHaveCassandrasForm()
    {
        for (int scale : new int[]{ Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -3, -2, -1, 0, 1, 2, 3, Integer.MAX_VALUE })
            for (String digits : new String[]{ "1", "9", "10", "99", "100", "101", "990", "1001", "12345", "100000000000000000000001" })
                for (String sign : new String[]{ "", "-" })
                {
                    ByteBuffer value = DecimalType.instance.decompose(new BigDecimal(new BigInteger(sign + digits), scale));
                    ByteComparable cassandras = new ClusteringComparator(DecimalType.instance).asByteComparable(Clustering.make(value));
                    byte[] expected = ByteSourceInverse.readBytes(cassandras.asComparableBytes(KeyEncoder.VERSION));
                    assertArrayEquals(expected, form(DecimalType.instance, value), () -> sign + digits + " scale " + scale);
                }
    }

    /** Cassandra does not check what a client gives as a part of a tuple of clustering columns. */
    @Test
    void bytesThatAreNoValueArePositionsBehindAllValues()
    {
        String largest = "ffffffffffffffffffffffffffffffff";
        inOrder(UUIDType.instance, "", largest, "00".repeat(15), "00".repeat(17));
        ByteBuffer few = ByteBuffer.allocate(15);
        assertThrows(IllegalArgumentException.class, () -> OrderForm.of(UUIDType.instance, ByteBufferAccessor.instance, few));
    }

    /** The comparators of these read no others. */
    @Test
    void ofTooManyBytesTheFirstOnesMakeTheKey()
    {
        for (AbstractType<?> type : List.of(ByteType.instance, BooleanType.instance, FloatType.instance, DoubleType.instance,
                                            LexicalUUIDType.instance))
        {
            int width = type == LexicalUUIDType.instance ? 16 : type == ByteType.instance ? 1 : type.valueLengthIfFixed();
            String value = "01".repeat(width);
            for (String others : new String[]{ "00", "ff", "0000000000000000ff" })
            {
                assertEquals(0, type.compare(ByteBufferUtil.hexToBytes(value), ByteBufferUtil.hexToBytes(value + others)));
                assertArrayEquals(form(type, value), form(type, value + others), () -> type.asCQL3Type() + " " + others);
                AbstractType<?> reversed = ReversedType.getInstance(type);
                assertArrayEquals(form(reversed, value), form(reversed, value + others), () -> reversed.asCQL3Type() + " " + others);
            }
        }
        assertArrayEquals(form(FloatType.instance, "7fc00000"), form(FloatType.instance, "7f80000100"));
    }

    private static void inOrder(AbstractType<?> type, String... values)
    {
        for (int i = 1; i < values.length; i++)
        {
            int at = i;
            assertEquals(-1, Integer.signum(Arrays.compareUnsigned(form(type, values[i - 1]), form(type, values[i]))),
                         () -> type.asCQL3Type() + ": " + values[at - 1] + ", " + values[at]);
        }
    }

    private static byte[] form(AbstractType<?> type, String hex)
    {
        return form(type, ByteBufferUtil.hexToBytes(hex));
    }

    private static byte[] form(AbstractType<?> type, ByteBuffer value)
    {
        DirectOutput out = new DirectOutput();
        new KeyEncoder(new ClusteringComparator(type)).putClustering(out, Clustering.make(value));
        return out.copyFrom(0);
    }
}
