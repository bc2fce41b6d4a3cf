/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;

import org.apache.cassandra.db.guardrails.Guardrails;
import org.apache.cassandra.db.guardrails.GuardrailsMBean;
import org.apache.cassandra.service.StorageProxy;
import org.apache.cassandra.service.StorageProxyMBean;

import io.cassiterite.frontdoor.FrontDoor;

/**
 * Stands before an MBean of Cassandra's by which operators change what the node answers, such as the partition denylist.
 * A change counts for native answers too when the call returns.
 */
final class ConditionProxy implements InvocationHandler
{
    private final Object stock;

    private ConditionProxy(Object stock)
    {
        this.stock = stock;
    }

    /** @return false if Cassandra has not registered its MBeans yet */
    static boolean install()
    {
        return StockMBean.replace(StorageProxy.MBEAN_NAME, StorageProxyMBean.class, new ConditionProxy(StorageProxy.instance))
               && StockMBean.replace(Guardrails.MBEAN_NAME, GuardrailsMBean.class, new ConditionProxy(Guardrails.instance));
    }

    /** A method of an MBean has been called, and may have changed something; its caller does not know yet. */
    static void called(Method method)
    {
        if (!method.getName().startsWith("get") && !method.getName().startsWith("is"))
            FrontDoor.instance.conditionsChanged();
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable
    {
        try
        {
            return StockMBean.call(stock, method, arguments);
        }
        finally
        {
            called(method);
        }
    }
}
