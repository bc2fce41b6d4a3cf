/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.util.List;
import java.util.Map;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.repair.messages.RepairOption;
import org.apache.cassandra.streaming.PreviewKind;

/** The repairs that may include engine tables: full ones, and previews of unrepaired data. */
final class RepairVerb
{
    private RepairVerb()
    {
    }

    /**
     * Refuses before anything is done.
     *
     * @param tables  the engine tables that the repair would include
     * @param options of the repair, as nodetool sends them
     * @throws UnsupportedOperationException with the reason, and what to do instead
     */
    static void check(String keyspace, List<ColumnFamilyStore> tables, Map<String, String> options)
    {
        PreviewKind preview = PreviewKind.valueOf(options.getOrDefault(RepairOption.PREVIEW, PreviewKind.NONE.toString()));
        if (preview == PreviewKind.REPAIRED)
            EngineVerbs.fail(String.format("--validate compares what is marked repaired, and rows in the engine never are, so that " +
                                           "it would find Cassiterite tables (%s) in sync whatever they hold. Use nodetool repair " +
                                           "--preview --full %s%s.", EngineVerbs.names(tables), keyspace, others(keyspace, "--validate ")));
        if (preview == PreviewKind.NONE && Boolean.parseBoolean(options.get(RepairOption.INCREMENTAL_KEY)))
            EngineVerbs.fail(String.format("incremental repair, which nodetool repair is unless told otherwise, is not possible of " +
                                           "Cassiterite tables (%s): rows in the engine are never marked repaired. Use nodetool " +
                                           "repair --full %s%s.", EngineVerbs.names(tables), keyspace, others(keyspace, "")));
    }

    /** The command for the stock tables. */
    private static String others(String keyspace, String option)
    {
        List<String> others = EngineTableFinder.others(keyspace);
        return others.isEmpty() ? ""
                                : String.format(", and for its other tables nodetool repair %s%s %s", option, keyspace,
                                                String.join(" ", others));
    }
}
