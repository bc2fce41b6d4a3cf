/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import javax.management.NotCompliantMBeanException;
import javax.management.StandardMBean;

import org.apache.cassandra.utils.MBeanWrapper;

/** How something of ours comes to stand before an MBean of Cassandra's. */
final class StockMBean
{
    private StockMBean()
    {
    }

    /** @param type the interface of the MBean */
    static <T> T before(Class<T> type, InvocationHandler handler)
    {
        return type.cast(Proxy.newProxyInstance(StockMBean.class.getClassLoader(), new Class<?>[]{ type }, handler));
    }

    /** @return false if Cassandra has not registered it yet */
    static <T> boolean replace(String name, Class<T> type, InvocationHandler handler)
    {
        return replace(name, standard(type, before(type, handler)));
    }

    /** @return false if Cassandra has not registered it yet */
    static boolean replace(String name, Object bean)
    {
        if (!MBeanWrapper.instance.isRegistered(name))
            return false;
        MBeanWrapper.instance.unregisterMBean(name);
        MBeanWrapper.instance.registerMBean(bean, name);
        return true;
    }

    private static <T> StandardMBean standard(Class<T> type, T proxy)
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

    /** Calls the method of the MBean that stands behind; throws what that throws. */
    static Object call(Object stock, Method method, Object[] arguments) throws Throwable
    {
        try
        {
            return method.invoke(stock, arguments);
        }
        catch (InvocationTargetException e)
        {
            throw e.getCause();
        }
    }
}
