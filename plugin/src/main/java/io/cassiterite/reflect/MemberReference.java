/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.reflect;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** A field or method of another code's class, found by its name; it may not be there. Safe from any thread. */
final class MemberReference
{
    private final Field field;
    private final Method method;
    private final String missing;

    private MemberReference(Field field, Method method, String missing)
    {
        this.field = field;
        this.method = method;
        this.missing = missing;
    }

    /** Initializes no class. */
    static MemberReference field(String owner, String name, String type)
    {
        String described = simpleName(owner) + '.' + name + " of type " + type;
        try
        {
            Field field = load(owner).getDeclaredField(name);
            if (!field.getType().getTypeName().equals(type))
                return new MemberReference(null, null, described + " (it is a " + field.getType().getTypeName() + ')');
            return new MemberReference(accessible(field), null, null);
        }
        catch (ReflectiveOperationException | LinkageError | RuntimeException e)
        {
            return new MemberReference(null, null, described + " (" + e + ')');
        }
    }

    /** Initializes no class. */
    static MemberReference method(String owner, String name, String result, String... parameters)
    {
        String described = simpleName(owner) + '.' + name + '(' + String.join(", ", parameters) + ") of type " + result;
        try
        {
            for (Method method : load(owner).getDeclaredMethods())
                if (method.getName().equals(name) && method.getReturnType().getTypeName().equals(result)
                    && Arrays.equals(parameters, Arrays.stream(method.getParameterTypes()).map(Class::getTypeName).toArray()))
                    return new MemberReference(null, accessible(method), null);
            return new MemberReference(null, null, described);
        }
        catch (ReflectiveOperationException | LinkageError | RuntimeException e)
        {
            return new MemberReference(null, null, described + " (" + e + ')');
        }
    }

    /** The first that is there: versions of Cassandra differ. */
    static MemberReference oneOf(MemberReference first, MemberReference second)
    {
        if (first.missing == null || second.missing == null)
            return first.missing == null ? first : second;
        return new MemberReference(null, null, first.missing + ", nor " + second.missing);
    }

    private static Class<?> load(String name) throws ClassNotFoundException
    {
        return Class.forName(name, false, MemberReference.class.getClassLoader());
    }

    private static <T extends AccessibleObject> T accessible(T member)
    {
        member.setAccessible(true);
        return member;
    }

    private static String simpleName(String owner)
    {
        return owner.substring(owner.lastIndexOf('.') + 1);
    }

    /** @return what is missing and why, or null if it is there */
    String missing()
    {
        return missing;
    }

    int parameters()
    {
        return present(method).getParameterCount();
    }

    /** @param owner null for a static field */
    Object get(Object owner)
    {
        try
        {
            return present(field).get(owner);
        }
        catch (IllegalAccessException e)
        {
            throw new IllegalStateException(e);
        }
    }

    void set(Object owner, Object value)
    {
        try
        {
            present(field).set(owner, value);
        }
        catch (IllegalAccessException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** @throws IllegalStateException whose cause is what the method has thrown */
    Object invoke(Object owner, Object... arguments)
    {
        try
        {
            return present(method).invoke(owner, arguments);
        }
        catch (IllegalAccessException e)
        {
            throw new IllegalStateException(e);
        }
        catch (InvocationTargetException e)
        {
            throw new IllegalStateException(e.getCause());
        }
    }

    private <T> T present(T member)
    {
        if (member == null)
            throw new IllegalStateException("This version of Cassandra is not supported: it has no " + missing);
        return member;
    }
}
