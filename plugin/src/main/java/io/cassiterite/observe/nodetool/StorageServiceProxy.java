/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

import javax.management.StandardEmitterMBean;
import javax.management.openmbean.TabularData;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.service.StorageServiceMBean;
import org.apache.cassandra.utils.MBeanWrapper;

import io.cassiterite.memtable.SstablesBeside;
import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.EngineTableFinder;
import io.cassiterite.observe.tables.SizeEstimates;

/**
 * Stands before Cassandra's StorageService MBean: verbs of nodetool that work on sstables also work on engine tables,
 * or are refused. Everything else, notifications included, is Cassandra's own.
 *
 * @see ConditionProxy for what it is told of all calls
 */
public final class StorageServiceProxy implements InvocationHandler
{
    static final String OBJECT_NAME = "org.apache.cassandra.db:type=StorageService";

    private final StorageServiceMBean stock;
    private final EngineVerbs verbs;
    private final VerifyVerb verify;

    StorageServiceProxy(StorageServiceMBean stock, EngineVerbs verbs, VerifyVerb verify)
    {
        this.stock = stock;
        this.verbs = verbs;
        this.verify = verify;
    }

    /** @return false if Cassandra has not registered its MBean yet */
    public static boolean install(EngineControl engine)
    {
        if (!MBeanWrapper.instance.isRegistered(OBJECT_NAME) || !ConditionProxy.install())
            return false;
        StorageService stock = StorageService.instance;
        StorageServiceMBean proxy = create(stock, new EngineVerbs(engine), new VerifyVerb(engine));
        return StockMBean.replace(OBJECT_NAME, new StandardEmitterMBean(proxy, StorageServiceMBean.class, stock));
    }

    static StorageServiceMBean create(StorageServiceMBean stock, EngineVerbs verbs, VerifyVerb verify)
    {
        return StockMBean.before(StorageServiceMBean.class, new StorageServiceProxy(stock, verbs, verify));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable
    {
        VerbArguments verb = new VerbArguments(method, arguments);
        SstableVerb sstables = SstableVerb.of(method);
        if (sstables != null && !sstables.tables(verb).isEmpty())
            return onOtherTables(sstables, method, verb);
        if (method.getName().equals("verify") && !verb.tables().isEmpty())
            return verify.run(verb, stockArguments -> delegate(method, stockArguments));
        Integer repair = method.getName().equals("repairAsync") ? startRepair(verb) : null;
        if (repair != null)
            return repair;
        check(method.getName(), verb);
        SstablesBeside.Look look = around(method.getName(), verb);
        try (look)
        {
            Object result = delegate(method, arguments);
            perform(method.getName(), verb);
            return amended(method.getName(), result);
        }
    }

    /** What has to be in force while Cassandra, and then the engine, do their parts. */
    private SstablesBeside.Look around(String name, VerbArguments verb)
    {
        if (isSnapshotWithoutFlush(name, verb))
            return verbs.lookAtBoth(snapshotted(verb));
        return name.equals("forceKeyspaceCleanup") ? verbs.pauseMoves(verb.tables()) : () -> { };
    }

    /** Cassandra then leaves memtables out, and takes the sstables first. */
    private static boolean isSnapshotWithoutFlush(String name, VerbArguments verb)
    {
        Map<String, String> options = name.equals("takeSnapshot") ? verb.options() : null;
        return options != null && Boolean.parseBoolean(options.getOrDefault("skipFlush", "false"));
    }

    private static List<ColumnFamilyStore> snapshotted(VerbArguments verb)
    {
        return EngineTableFinder.selectedEntities(verb.trailing());
    }

    /** Runs a verb on a whole keyspace for its stock tables only. */
    private Object onOtherTables(SstableVerb sstables, Method method, VerbArguments verb) throws Throwable
    {
        List<ColumnFamilyStore> tables = sstables.tables(verb);
        if (!sstables.isForWholeKeyspace(verb))
            verbs.refuse(sstables.title, tables, sstables.reason);
        List<String> others = EngineTableFinder.others(sstables.keyspace(verb));
        Object answer = others.isEmpty() ? SstableVerb.nothingDone(method)
                                         : SstableVerb.partlyDone(delegate(method, verb.with(others)));
        verbs.warnSkipped(sstables.title, tables, sstables.reason);
        return answer;
    }

    /** @return null if Cassandra is to do it */
    private static Integer startRepair(VerbArguments verb)
    {
        return RepairVerb.start(verb.firstString(), verb.repairedTables(), verb.options());
    }

    /** Refuses before anything is done. */
    private void check(String name, VerbArguments verb)
    {
        if (name.equals("forceCompactionKeysIgnoringGcGrace"))
            verbs.refuse("forcecompact", EngineTableFinder.selected(verb.firstString(), verb.lastString()),
                         SstableVerb.Reasons.WHOLE_TABLES_ONLY);
        else if (name.equals("loadNewSSTables"))
            verbs.refuseRefresh(EngineTableFinder.selected(verb.firstString(), verb.lastString()));
    }

    /** Does for engine tables what the stock method has done for the others. */
    private void perform(String name, VerbArguments verb)
    {
        switch (name)
        {
            case "forceKeyspaceCompaction":
            case "garbageCollect":
            case "recompressSSTables":
                verbs.compact(verb.tables());
                break;
            case "upgradeSSTables":
                if (!verb.firstBoolean()) // if true, only files of an older format, of which the engine has none
                    verbs.compact(verb.tables());
                break;
            case "forceKeyspaceCleanup":
                verbs.cleanUp(verb.lastString(), verb.tables());
                break;
            case "disableAutoCompaction":
            case "enableAutoCompaction":
                verbs.followCompactionSwitch(verb.tables());
                break;
            case "refreshSizeEstimates":
                SizeEstimates.await();
                break;
            case "setConcurrentCompactors":
                verbs.followConcurrentCompactors(verb.firstInt());
                break;
            case "takeSnapshot":
                if (isSnapshotWithoutFlush(name, verb))
                    verbs.snapshot(snapshotted(verb), verb.firstString());
                verbs.listSnapshot(verb.firstString());
                break;
            case "takeMultipleTableSnapshot":
                verbs.listSnapshot(verb.firstString());
                break;
            case "setIncrementalBackupsEnabled":
                verbs.followIncrementalBackups();
                break;
            case "forceKeyspaceFlush":
                verbs.bringIncrements();
                break;
            case "takeTableSnapshot":
                verbs.listSnapshot(verb.lastString());
                break;
            default: // also relocatesstables: a store has one directory, so no file is misplaced
        }
    }

    /** Adds what the stock method cannot know of engine tables to its result. */
    @SuppressWarnings("unchecked")
    private Object amended(String name, Object result)
    {
        switch (name)
        {
            case "getSnapshotDetails":
                return verbs.snapshotListing((Map<String, TabularData>) result);
            case "sampleKeyRange":
                return verbs.withSampledKeys((List<String>) result);
            case "trueSnapshotsSize":
                return (Long) result + verbs.snapshotBytes();
            default:
                return result;
        }
    }

    private Object delegate(Method method, Object[] arguments) throws Throwable
    {
        try
        {
            return StockMBean.call(stock, method, arguments);
        }
        finally
        {
            ConditionProxy.called(method);
        }
    }
}
