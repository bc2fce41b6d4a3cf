/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

import io.cassiterite.observe.EngineMBean;

/** A program's connection to the engine of a running node, over JMX. */
final class NodeConnection implements AutoCloseable
{
    static final String OPTIONS = "[-u USER -pwf FILE]";
    static final String OPTIONS_HELP = "  USER FILE   where JMX asks: a user, and a file with lines 'USER PASSWORD', as nodetool reads it\n"
                                       + "  HOST PORT   JMX address of the node, usually 127.0.0.1 7199\n";

    private static final int OPTION_WORDS = 4;

    private final JMXConnector connector;

    private NodeConnection(JMXConnector connector)
    {
        this.connector = connector;
    }

    /** @return the words behind {@link #OPTIONS} */
    static String[] arguments(String[] words)
    {
        return hasUser(words) ? Arrays.copyOfRange(words, OPTION_WORDS, words.length) : words;
    }

    private static boolean hasUser(String[] words)
    {
        return words.length >= OPTION_WORDS && words[0].equals("-u") && words[2].equals("-pwf");
    }

    /** @param words of the program: the options, host, port and more */
    static NodeConnection open(String[] words) throws IOException
    {
        String[] arguments = arguments(words);
        String url = String.format("service:jmx:rmi:///jndi/rmi://%s:%s/jmxrmi", arguments[0], arguments[1]);
        return new NodeConnection(JMXConnectorFactory.connect(new JMXServiceURL(url),
                                                              hasUser(words) ? credentials(words[1], words[3]) : Map.of()));
    }

    private static Map<String, Object> credentials(String user, String file) throws IOException
    {
        for (String line : Files.readAllLines(Path.of(file)))
        {
            String[] pair = line.trim().split("\\s+");
            if (pair.length > 1 && pair[0].equals(user))
                return Map.of(JMXConnector.CREDENTIALS, Arrays.copyOf(pair, 2));
        }
        throw new IOException(file + " has no line '" + user + " PASSWORD'");
    }

    /** @return what people need to know of a failed call; a proxy of an MBean wraps what it does not declare */
    static String reason(Exception e)
    {
        Throwable told = e instanceof UndeclaredThrowableException && e.getCause() != null ? e.getCause() : e;
        return told.getMessage() == null ? told.toString() : told.getMessage();
    }

    EngineMBean engine() throws IOException
    {
        MBeanServerConnection connection = connector.getMBeanServerConnection();
        ObjectName name;
        try
        {
            name = new ObjectName(EngineMBean.OBJECT_NAME);
        }
        catch (MalformedObjectNameException e)
        {
            throw new IllegalStateException(e);
        }
        if (!connection.isRegistered(name))
            throw new IOException("the node has no Cassiterite engine running");
        return JMX.newMBeanProxy(connection, name, EngineMBean.class);
    }

    @Override
    public void close() throws IOException
    {
        connector.close();
    }
}
