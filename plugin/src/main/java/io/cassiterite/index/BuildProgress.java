/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.reflect.PrivateMember;

/** What {@code nodetool compactionstats} shows of a build. */
final class BuildProgress
{
    private static final int PARAMETERS_WITH_TWO_NUMBERS = 6;

    private BuildProgress()
    {
    }

    /** @param done of {@code total}, in units that Cassandra shows as ranges */
    static CompactionInfo of(TableMetadata table, TimeUUID build, long done, long total)
    {
        List<Object> arguments = new ArrayList<>(List.of(table, OperationType.INDEX_BUILD, done, total));
        if (PrivateMember.PROGRESS_WITHOUT_SSTABLES.parameters() > PARAMETERS_WITH_TWO_NUMBERS)
            arguments.add(total);
        arguments.addAll(List.of(CompactionInfo.Unit.RANGES, build));
        return (CompactionInfo) PrivateMember.PROGRESS_WITHOUT_SSTABLES.invoke(null, arguments.toArray());
    }
}
