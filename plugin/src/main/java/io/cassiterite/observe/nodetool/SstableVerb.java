/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager.AllSSTableOpStatus;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.observe.EngineTableFinder;

/**
 * A verb that has a meaning for sstables only, or has at present. On a whole keyspace it is for the stock tables; on an
 * engine table that is named it is refused.
 */
enum SstableVerb
{
    SCRUB("scrub", Reasons.NO_SSTABLES),
    COMPACT_RANGE("compact of a part", Reasons.WHOLE_TABLES_ONLY),
    CLEAN_UP("cleanup", "the node is not in normal operation, so it is not known what it owns"),
    MUTATE_REPAIRED("repaired state", "rows in the engine are never marked repaired");

    final String title;
    final String reason;

    SstableVerb(String title, String reason)
    {
        this.title = title;
        this.reason = reason;
    }

    /** @return null if the method works on engine tables, or has nothing to do with tables */
    static SstableVerb of(Method method)
    {
        switch (method.getName())
        {
            case "scrub":
                return SCRUB;
            case "forceKeyspaceCompactionForTokenRange":
            case "forceKeyspaceCompactionForPartitionKey":
                return COMPACT_RANGE;
            case "forceKeyspaceCleanup": // Cassandra itself refuses while the ring changes
                return StorageService.instance.isNormal() ? null : CLEAN_UP;
            case "mutateSSTableRepairedState":
                return MUTATE_REPAIRED;
            default:
                return null;
        }
    }

    String keyspace(VerbArguments verb)
    {
        return this == COMPACT_RANGE ? verb.firstString() : verb.lastString();
    }

    /** @return the engine tables that it would be for, and cannot: scrub can where sstables lie beside the engine */
    List<ColumnFamilyStore> tables(VerbArguments verb)
    {
        if (this == MUTATE_REPAIRED && verb.names().length == 0)
            return List.of();
        List<ColumnFamilyStore> tables = EngineTableFinder.selected(keyspace(verb), verb.names());
        return this == SCRUB ? tables.stream().filter(cfs -> cfs.getLiveSSTables().isEmpty()).collect(Collectors.toList()) : tables;
    }

    /** nodetool itself names all tables of a keyspace where it sets the repaired state. */
    boolean isForWholeKeyspace(VerbArguments verb)
    {
        return this == MUTATE_REPAIRED ? List.of(verb.names()).containsAll(EngineTableFinder.all(keyspace(verb)))
                                       : verb.names().length == 0;
    }

    /** The answer where there is no stock table. nodetool's answer to a status of failure points to the log. */
    static Object nothingDone(Method method)
    {
        if (method.getReturnType() == int.class)
            return AllSSTableOpStatus.ABORTED.statusCode;
        return method.getReturnType() == void.class ? null : List.of();
    }

    /** The answer where stock tables have been done and engine tables were left out. */
    static Object partlyDone(Object answer)
    {
        return answer instanceof Integer && (Integer) answer == AllSSTableOpStatus.SUCCESSFUL.statusCode
               ? (Integer) AllSSTableOpStatus.ABORTED.statusCode
               : answer;
    }

    static final class Reasons
    {
        static final String WHOLE_TABLES_ONLY = "the engine compacts whole tables only: use nodetool compact KEYSPACE TABLE";
        private static final String NO_SSTABLES = "there are no sstables to rewrite; nodetool verify -f finds damaged files of the engine";

        private Reasons()
        {
        }
    }
}
