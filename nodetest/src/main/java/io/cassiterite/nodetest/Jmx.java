/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** A JMX connection to a node. Thread-safe. */
public final class Jmx implements AutoCloseable
{
    /** The bean of the plug-in. */
    public static final String ENGINE = "io.cassiterite:type=Engine";

    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";

    private final JMXConnector connector;
    private final MBeanServerConnection server;

    Jmx(int port)
    {
        try
        {
            connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"));
            server = connector.getMBeanServerConnection();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("no JMX on port " + port, e);
        }
    }

    /** @return an attribute's value, for example {@code ("org.apache.cassandra.db:type=StorageService", "OperationMode")} */
    public Object attribute(String objectName, String attribute)
    {
        try
        {
            return server.getAttribute(new ObjectName(objectName), attribute);
        }
        catch (JMException | IOException e)
        {
            throw new IllegalStateException(objectName + " " + attribute, e);
        }
    }

    /** @return an attribute's value, null if there is no such attribute */
    public Object attributeIfAny(String objectName, String attribute)
    {
        try
        {
            return server.getAttribute(new ObjectName(objectName), attribute);
        }
        catch (AttributeNotFoundException e)
        {
            return null;
        }
        catch (JMException | IOException e)
        {
            throw new IllegalStateException(objectName + " " + attribute, e);
        }
    }

    public void set(String objectName, String attribute, Object value)
    {
        try
        {
            server.setAttribute(new ObjectName(objectName), new Attribute(attribute, value));
        }
        catch (JMException | IOException e)
        {
            throw new IllegalStateException(objectName + " " + attribute, e);
        }
    }

    /** Calls an operation; {@code signature} holds its parameters' class names. */
    public Object invoke(String objectName, String operation, Object[] arguments, String[] signature)
    {
        try
        {
            return server.invoke(new ObjectName(objectName), operation, arguments, signature);
        }
        catch (JMException | IOException e)
        {
            throw new IllegalStateException(objectName + " " + operation, e);
        }
    }

    /**
     * Flushes as {@code nodetool flush} does, without the second that a process of its own costs.
     *
     * @param tables none for the whole keyspace
     */
    public void flush(String keyspace, String... tables)
    {
        invoke(STORAGE, "forceKeyspaceFlush", new Object[]{ keyspace, tables },
               new String[]{ String.class.getName(), String[].class.getName() });
    }

    /**
     * Compacts as {@code nodetool compact} does, and returns at its end.
     *
     * @param tables none for the whole keyspace
     */
    public void compact(String keyspace, String... tables)
    {
        invoke(STORAGE, "forceKeyspaceCompaction", new Object[]{ false, keyspace, tables },
               new String[]{ boolean.class.getName(), String.class.getName(), String[].class.getName() });
    }

    /** Sets a parameter of the engine on the running node. */
    public void parameter(String name, String value)
    {
        String string = String.class.getName();
        invoke(ENGINE, "set", new Object[]{ name, value }, new String[]{ string, string });
    }

    /** Says which way the rows of an engine table move: "in", "out" or "hold". */
    void direct(String keyspace, String table, String direction)
    {
        String string = String.class.getName();
        invoke(ENGINE, "move", new Object[]{ keyspace, table, direction }, new String[]{ string, string, string });
    }

    /** @return the names that match a pattern such as {@code "io.cassiterite:*"} */
    public Set<ObjectName> names(String pattern)
    {
        try
        {
            return server.queryNames(new ObjectName(pattern), null);
        }
        catch (JMException | IOException e)
        {
            throw new IllegalStateException(pattern, e);
        }
    }

    @Override
    public void close()
    {
        try
        {
            connector.close();
        }
        catch (IOException e)
        {
            // the node may have ended; then nothing is left open
        }
    }
}
