/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ColumnFamilyStoreMBean;

import io.cassiterite.engine.TableStats;
import io.cassiterite.index.IndexedImport;
import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.RemoteFailure;
import io.cassiterite.observe.metrics.TableGauges;

/**
 * Stands before the MBean of an engine table, so that its compaction and estimates include the engine. Everything else
 * is Cassandra's own.
 */
public final class TableProxy implements InvocationHandler
{
    private final ColumnFamilyStore cfs;
    private final EngineControl engine;
    private final EngineVerbs verbs;

    private TableProxy(ColumnFamilyStore cfs, EngineControl engine)
    {
        this.cfs = cfs;
        this.engine = engine;
        this.verbs = new EngineVerbs(engine);
    }

    /** Replaces the table's MBeans, which must be registered. Cassandra unregisters them by name when the table is dropped. */
    public static void install(ColumnFamilyStore cfs, EngineControl engine)
    {
        for (String name : List.of(ColumnFamilyStore.getTableMBeanName(cfs.getKeyspaceName(), cfs.name, cfs.isIndex()),
                                   ColumnFamilyStore.getColumnFamilieMBeanName(cfs.getKeyspaceName(), cfs.name, cfs.isIndex())))
            StockMBean.replace(name, ColumnFamilyStoreMBean.class, new TableProxy(cfs, engine));
        TableGauges.install(cfs, engine);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable
    {
        switch (method.getName())
        {
            case "forceMajorCompaction":
                delegate(method, arguments);
                verbs.compact(List.of(cfs));
                return null;
            case "forceCompactionForTokenRange":
            case "forceCompactionForTokenRanges":
                verbs.refuse("compact of a token range", List.of(cfs), "the engine compacts whole tables only");
                return null;
            case "importNewSSTables":
                return IndexedImport.take(cfs, () -> delegate(method, arguments));
            case "loadNewSSTables":
                verbs.refuseRefresh(List.of(cfs));
                return delegate(method, arguments);
            case "getSSTablesForKey":
            case "getSSTablesForKeyWithLevel":
                verbs.refuse("getsstables", List.of(cfs),
                             "rows lie in files of the engine, which cassiterite.levels counts, not in sstables");
                return null;
            case "setCompactionThresholds":
            case "setMinimumCompactionThreshold":
            case "setMaximumCompactionThreshold":
                verbs.refuse("setcompactionthreshold", List.of(cfs), "the engine's parameters decide when it compacts");
                return null;
            case "getDataPaths":
                return withStore((List<String>) delegate(method, arguments));
            case "setCompactionParameters":
            case "setCompactionParametersJson":
                delegate(method, arguments);
                verbs.followCompactionSwitch(List.of(cfs));
                return null;
            case "trueSnapshotsSize":
                return (Long) delegate(method, arguments) + verbs.snapshotBytes(cfs);
            case "estimateKeys":
                return (Long) delegate(method, arguments) + estimatedPartitions();
            default:
                return delegate(method, arguments);
        }
    }

    /** All tables of the node share the store. */
    private List<String> withStore(List<String> folders)
    {
        List<String> all = new ArrayList<>(folders);
        if (engine.isOpen())
            all.add(engine.storeDirectory().canonicalPath());
        return all;
    }

    private long estimatedPartitions()
    {
        TableStats stats = RemoteFailure.guard("reading statistics of " + cfs.metadata(), () -> engine.stats(cfs.metadata()));
        return stats == null ? 0 : stats.estimatedPartitions();
    }

    private Object delegate(Method method, Object[] arguments) throws Throwable
    {
        try
        {
            return StockMBean.call(cfs, method, arguments);
        }
        finally
        {
            ConditionProxy.called(method);
        }
    }
}
