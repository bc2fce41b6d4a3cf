/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.repair.messages.RepairOption;

import io.cassiterite.observe.EngineTableFinder;

/**
 * Arguments of a method of Cassandra's StorageService MBean. They come in many orders, but the tables are always the
 * trailing string array and the keyspace is, unless said otherwise, the last plain string.
 */
final class VerbArguments
{
    private final Method method;
    private final Object[] arguments;

    VerbArguments(Method method, Object[] arguments)
    {
        this.method = method;
        this.arguments = arguments == null ? new Object[0] : arguments;
    }

    String firstString()
    {
        for (Object argument : arguments)
            if (argument instanceof String)
                return (String) argument;
        throw unexpected();
    }

    String lastString()
    {
        for (int i = arguments.length - 1; i >= 0; i--)
            if (arguments[i] instanceof String)
                return (String) arguments[i];
        throw unexpected();
    }

    int firstInt()
    {
        for (Object argument : arguments)
            if (argument instanceof Integer)
                return (Integer) argument;
        throw unexpected();
    }

    boolean firstBoolean()
    {
        for (Object argument : arguments)
            if (argument instanceof Boolean)
                return (Boolean) argument;
        throw unexpected();
    }

    /** @return all of them, in their order */
    List<Boolean> booleans()
    {
        return Arrays.stream(arguments).filter(Boolean.class::isInstance).map(Boolean.class::cast).collect(Collectors.toList());
    }

    /** @return the trailing array of names, empty if null */
    String[] trailing()
    {
        Object last = arguments.length == 0 ? null : arguments[arguments.length - 1];
        if (last == null)
            return new String[0];
        if (last instanceof String[])
            return (String[]) last;
        throw unexpected();
    }

    /** @return the map among the arguments, or null */
    @SuppressWarnings("unchecked")
    Map<String, String> options()
    {
        for (Object argument : arguments)
            if (argument instanceof Map)
                return (Map<String, String>) argument;
        return null;
    }

    /** @return the engine tables that the verb is for */
    List<ColumnFamilyStore> tables()
    {
        return tables(lastString());
    }

    List<ColumnFamilyStore> tables(String keyspace)
    {
        return EngineTableFinder.selected(keyspace, trailing());
    }

    /** @return the tables that are named, in an array or a list at the end; none for the whole keyspace */
    String[] names()
    {
        Object last = arguments.length == 0 ? null : arguments[arguments.length - 1];
        return last instanceof List ? ((List<?>) last).toArray(new String[0]) : trailing();
    }

    /** @return the arguments with these tables named */
    Object[] with(List<String> tables)
    {
        Object[] named = arguments.clone();
        int last = named.length - 1;
        named[last] = named[last] instanceof List ? tables : tables.toArray(new String[0]);
        return named;
    }

    /** @return the engine tables among those that repair options select */
    List<ColumnFamilyStore> repairedTables()
    {
        String tables = options() == null ? null : options().get(RepairOption.COLUMNFAMILIES_KEY);
        return tables == null || tables.isEmpty()
               ? EngineTableFinder.selected(firstString())
               : EngineTableFinder.selected(firstString(), tables.split("\\s*,\\s*"));
    }

    private IllegalStateException unexpected()
    {
        return new IllegalStateException("Cassiterite does not know the arguments of " + method +
                                         "; this version of Cassandra is not supported");
    }
}
