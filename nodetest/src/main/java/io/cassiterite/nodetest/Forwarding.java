/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Objects that forward all calls except those of one method. */
final class Forwarding
{
    /** What is done in place of a method. */
    interface Replacement
    {
        Object invoke(Object[] arguments) throws Throwable;
    }

    private Forwarding()
    {
    }

    /** @return an object of an interface that forwards all calls to {@code target}, except those of the named method */
    static <T> T to(T target, Class<T> type, String replaced, Replacement replacement)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{ type }, (proxy, method, arguments) -> {
            if (method.getName().equals(replaced))
                return replacement.invoke(arguments);
            try
            {
                return method.invoke(target, arguments);
            }
            catch (InvocationTargetException e)
            {
                throw e.getCause();
            }
        }));
    }
}
