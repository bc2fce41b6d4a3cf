/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.CompactionManagerMBean;

import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.RemoteFailure;
import io.cassiterite.observe.tables.EngineCompaction;

/**
 * Stands before Cassandra's CompactionManager MBean: nodetool compactionstats shows the compactions that run in the
 * engine, and nodetool stop ends the engine's work. They are none of Cassandra's own compactions, for which TRUNCATE
 * and others wait.
 */
public final class CompactionManagerProxy implements InvocationHandler
{
    private final CompactionManagerMBean stock;
    private final EngineControl engine;
    private final EngineStops stops;

    private CompactionManagerProxy(CompactionManagerMBean stock, EngineControl engine)
    {
        this.stock = stock;
        this.engine = engine;
        this.stops = new EngineStops(engine);
    }

    /** @return false if Cassandra has not registered its MBean yet */
    public static boolean install(EngineControl engine)
    {
        return StockMBean.replace(CompactionManager.MBEAN_OBJECT_NAME, CompactionManagerMBean.class,
                                  new CompactionManagerProxy(CompactionManager.instance, engine));
    }

    @Override
    @SuppressWarnings("unchecked")
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable
    {
        switch (method.getName())
        {
            case "getCompactions":
                String directory = engine.isOpen() ? engine.storeDirectory().canonicalPath() : "";
                return withEngine((List<Map<String, String>>) delegate(method, arguments), one -> one.asMap(directory));
            case "getCompactionSummary":
                return withEngine((List<String>) delegate(method, arguments), EngineCompaction::summary);
            case "stopCompaction":
                stops.beforeStop((String) arguments[0]);
                delegate(method, arguments);
                stops.stop((String) arguments[0]);
                return null;
            case "stopCompactionById":
                stops.beforeStopById((String) arguments[0]);
                return delegate(method, arguments);
            default:
                return delegate(method, arguments);
        }
    }

    private <T> List<T> withEngine(List<T> stockCompactions, Function<EngineCompaction, T> form)
    {
        List<T> all = new ArrayList<>(stockCompactions);
        if (engine.isOpen())
            for (EngineCompaction one : RemoteFailure.guard("listing the engine's compactions", () -> EngineCompaction.all(engine)))
                if (one.isRunning())
                    all.add(form.apply(one));
        return all;
    }

    private Object delegate(Method method, Object[] arguments) throws Throwable
    {
        return StockMBean.call(stock, method, arguments);
    }
}
