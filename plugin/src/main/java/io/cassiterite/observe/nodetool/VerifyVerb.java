/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager.AllSSTableOpStatus;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Failures;
import io.cassiterite.engine.Verified;
import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.EngineTableFinder;

/**
 * nodetool verify where engine tables are among the tables: sstables are Cassandra's, also those that lie beside the engine,
 * and files of the engine are verified by it. Like Cassandra's it throws what it finds; unlike it, it reads all files before.
 */
final class VerifyVerb
{
    private static final Logger logger = LoggerFactory.getLogger(VerifyVerb.class);

    private static final String WHAT_TO_DO = ". A repair does not heal such a file, for it reads it, too: replace the node, or see " +
                                             "'A store that is lost' in docs/operating/disks-and-failures.md";

    private final EngineControl engine;

    VerifyVerb(EngineControl engine)
    {
        this.engine = engine;
    }

    /** Cassandra's own verb. */
    interface Stock
    {
        Object run(Object[] arguments) throws Throwable;
    }

    /** @return Cassandra's status */
    Object run(VerbArguments verb, Stock stock) throws Throwable
    {
        List<ColumnFamilyStore> tables = verb.tables();
        Object status = AllSSTableOpStatus.SUCCESSFUL.statusCode;
        Throwable stockFailure = null;
        List<String> withSstables = withSstables(verb, tables);
        if (!withSstables.isEmpty())
            try
            {
                status = stock.run(verb.with(withSstables));
            }
            catch (Exception | Error e)
            {
                stockFailure = e;
            }
        List<String> failures = new ArrayList<>();
        boolean isWhole = verify(tables, new Options(verb.booleans()), verb.lastString(), failures);
        if (failures.isEmpty() && stockFailure == null)
            return isWhole ? status : AllSSTableOpStatus.ABORTED.statusCode;
        if (failures.isEmpty())
            throw stockFailure;
        String more = stockFailure == null ? "" : ". Sstables: " + stockFailure.getMessage();
        throw new IllegalStateException("Verifying Cassiterite tables: " + String.join("; ", failures) + WHAT_TO_DO + more);
    }

    /** For no tables Cassandra takes all of the keyspace, and would end the compactions of engine tables. */
    private static List<String> withSstables(VerbArguments verb, List<ColumnFamilyStore> engineTables)
    {
        List<String> without = engineTables.stream().filter(cfs -> cfs.getLiveSSTables().isEmpty()).map(cfs -> cfs.name)
                                           .collect(Collectors.toList());
        List<String> names = new ArrayList<>(verb.names().length == 0 ? EngineTableFinder.all(verb.lastString()) : List.of(verb.names()));
        names.removeAll(without);
        return names;
    }

    /**
     * @param failures takes what is wrong, a line for each table
     * @return whether no table's verification was stopped
     */
    private boolean verify(List<ColumnFamilyStore> tables, Options options, String keyspace, List<String> failures)
    {
        Collection<Range<Token>> ranges = options.checksTokens ? StorageService.instance.getLocalAndPendingRanges(keyspace) : List.of();
        boolean isWhole = true;
        for (ColumnFamilyStore cfs : tables)
        {
            if (!cfs.isValid())
                continue; // dropped: the table before may have taken hours
            try
            {
                logger.info("Verifying {} in the engine: {}", cfs.metadata(), options.depth());
                logger.info("Verified {} in the engine: {}", cfs.metadata(), new Verification(engine, cfs).run(options.depth(), ranges));
            }
            catch (EngineException e)
            {
                if (e.kind() == EngineException.Kind.CLOSED && engine.isOpen())
                {
                    logger.info("{} was dropped or truncated while it was verified", cfs.metadata());
                    continue;
                }
                if (e.kind() == EngineException.Kind.BUSY)
                {
                    logger.info("The verification of {} was stopped", cfs.metadata());
                    isWhole = false;
                    continue;
                }
                logger.error("Verifying {} in the engine has found damage", cfs.metadata(), e);
                failures.add(cfs.metadata() + ": " + e.getMessage());
                if (options.invokesDiskFailurePolicy)
                    toPolicy(e);
            }
        }
        return isWhole;
    }

    private void toPolicy(EngineException damage)
    {
        try
        {
            Failures.toPolicy(Failures.onRead(damage, engine.storeDirectory().canonicalPath()));
        }
        catch (Error e)
        {
            Failures.toPolicy(e);
        }
    }

    /** Versions of sstables and repaired states are not known of the engine's files: there is nothing to do for these two. */
    private static final class Options
    {
        private final boolean isExtended;
        private final boolean invokesDiskFailurePolicy;
        private final boolean checksTokens;
        private final boolean isQuick;

        /** @param given extended alone, or also: version, disk failure policy, repaired state, tokens, quick */
        Options(List<Boolean> given)
        {
            boolean all = given.size() == 6;
            isExtended = given.get(0);
            invokesDiskFailurePolicy = all && given.get(2);
            checksTokens = all && given.get(4);
            isQuick = all && given.get(5);
        }

        Verified.Depth depth()
        {
            if (checksTokens)
                return Verified.Depth.ENTRIES;
            if (isQuick)
                return Verified.Depth.QUICK;
            return isExtended ? Verified.Depth.ENTRIES : Verified.Depth.CHECKSUMS;
        }
    }
}
