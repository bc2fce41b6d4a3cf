/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import javax.management.NotCompliantMBeanException;
import javax.management.StandardMBean;

import org.apache.cassandra.db.guardrails.Guardrails;
import org.apache.cassandra.db.guardrails.GuardrailsMBean;
import org.apache.cassandra.service.StorageProxy;
import org.apache.cassandra.service.StorageProxyMBean;
import org.apache.cassandra.utils.MBeanWrapper;

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
        return install(StorageProxy.MBEAN_NAME, StorageProxyMBean.class, StorageProxy.instance)
               && install(Guardrails.MBEAN_NAME, GuardrailsMBean.class, Guardrails.instance);
    }

    private static <T> boolean install(String name, Class<T> type, T stock)
    {
        if (!MBeanWrapper.instance.isRegistered(name))
            return false;
        MBeanWrapper.instance.unregisterMBean(name);
        MBeanWrapper.instance.registerMBean(mbean(type, create(type, stock)), name);
        return true;
    }

    static <T> T create(Class<T> type, T stock)
    {
        return type.cast(Proxy.newProxyInstance(ConditionProxy.class.getClassLoader(), new Class<?>[]{ type }, new ConditionProxy(stock)));
    }

    private static <T> StandardMBean mbean(Class<T> type, T proxy)
    {
        try
        {
            return new StandardMBean(proxy, type);
        }
        catch (NotCompliantMBeanException e)
        {
            throw new IllegalStateException("This version of Cassandra is not supported: " + e.getMessage(), e);
        }
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
            return method.invoke(stock, arguments);
        }
        catch (InvocationTargetException e)
        {
            throw e.getCause();
        }
        finally
        {
            called(method);
        }
    }
}
