/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.TimeUUID;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class BuildProgressTest
{
    /** As up to 5.0.8. */
    public static final class TwoNumbers
    {
        public static Object withoutSSTables(TableMetadata table, OperationType kind, long done, long total,
                                             CompactionInfo.Unit unit, TimeUUID id)
        {
            return null;
        }

        public static Object withoutSSTables(TableMetadata table, OperationType kind, long done, long total,
                                             CompactionInfo.Unit unit, TimeUUID id, String directory)
        {
            return null;
        }
    }

    @Test
    void bothFactoriesAreFound()
    {
        assertEquals(6, BuildProgress.factory(TwoNumbers.class).getParameterCount());
        assertEquals(7, BuildProgress.factory(CompactionInfo.class).getParameterCount());
    }

    @Test
    void aVersionWithoutAFactoryIsNamed()
    {
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> BuildProgress.factory(Object.class));
        assertEquals("This version of Cassandra is not supported: CompactionInfo has no withoutSSTables of two or three numbers",
                     e.getMessage());
    }
}
