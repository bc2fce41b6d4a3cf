/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Rows leave into tens of sstables, or into those of leveled compaction, where there is room. */
class SstableSizesTest
{
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    @Test
    void tieredCompactionGetsTensOfThem()
    {
        assertEquals(GIB, SstableSizes.tiered(5 * MIB).bytesOfOne());
        assertEquals(GIB, SstableSizes.tiered(32 * GIB).bytesOfOne());
        assertEquals(32 * GIB, SstableSizes.tiered(1024 * GIB).bytesOfOne());
        assertEquals(64 * GIB, SstableSizes.tiered(10_000 * GIB).bytesOfOne());
        assertEquals(0, SstableSizes.tiered(1024 * GIB).level());
    }

    @Test
    void leveledCompactionGetsThemOnTheLevelThatTakesAll()
    {
        long one = 160 * MIB;
        assertEquals(0, SstableSizes.leveled(4 * one, one, 10).level(), "as those of flushes");
        assertEquals(1, SstableSizes.leveled(5 * one, one, 10).level());
        assertEquals(1, SstableSizes.leveled(10 * one, one, 10).level());
        assertEquals(2, SstableSizes.leveled(11 * one, one, 10).level());
        assertEquals(4, SstableSizes.leveled(1024 * GIB, one, 10).level());
        assertEquals(one, SstableSizes.leveled(1024 * GIB, one, 10).bytesOfOne());
    }

    /** A full disk stops the node's log, however empty the others are. */
    @Test
    void eachDiskKeepsItsReserve()
    {
        SstableRoom.check(GIB, LongStream.of(0, 1024 * GIB));
        assertThrows(SstableRoom.Missing.class, () -> SstableRoom.check("/d1", 512 * MIB));
        SstableRoom.check("/d1", 512 * MIB + 1);
    }

    @Test
    void filtersAreSizedForOne()
    {
        assertEquals(1_000, SstableSizes.tiered(32 * GIB).partitionsOfOne(32_000));
        assertEquals(32_000, SstableSizes.tiered(MIB).partitionsOfOne(32_000));
        assertEquals(1, SstableSizes.tiered(MIB).partitionsOfOne(0));
    }

    @Test
    void whatIsMissingIsSaid()
    {
        SstableRoom.check(10 * GIB, LongStream.of(10 * GIB, 6 * GIB));
        SstableRoom.Missing missing = assertThrows(SstableRoom.Missing.class,
                                                   () -> SstableRoom.check(10 * GIB, LongStream.of(10 * GIB, 2 * GIB)));
        assertTrue(missing.getMessage().contains("14.000GiB of sstables") && missing.getMessage().contains("lack 3"), missing.getMessage());
        assertThrows(SstableRoom.Missing.class, () -> SstableRoom.check(0, LongStream.of(100 * MIB)));
        assertEquals(missing.getMessage(), SstableRoom.missing(new IllegalStateException(missing)));
        assertNull(SstableRoom.missing(new IllegalStateException("something else")));
    }
}
