/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.reflect;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.TimeUUID;

/** What {@code nodetool compactionstats} shows of work in the engine, in the form of each version of Cassandra. */
public final class CompactionProgress
{
    private static final int PARAMETERS_WITH_TWO_NUMBERS = 6;

    private CompactionProgress()
    {
    }

    /** @param done of {@code total}, in units */
    public static CompactionInfo of(TableMetadata table, OperationType type, TimeUUID work, long done, long total, CompactionInfo.Unit unit)
    {
        List<Object> arguments = new ArrayList<>(List.of(table, type, done, total));
        if (PrivateMember.PROGRESS_WITHOUT_SSTABLES.parameters() > PARAMETERS_WITH_TWO_NUMBERS)
            arguments.add(total);
        arguments.addAll(List.of(unit, work));
        return (CompactionInfo) PrivateMember.PROGRESS_WITHOUT_SSTABLES.invoke(null, arguments.toArray());
    }
}
