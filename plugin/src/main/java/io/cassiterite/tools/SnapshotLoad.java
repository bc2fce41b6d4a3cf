/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.io.IOException;
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
import io.cassiterite.observe.SnapshotFolder;

/**
 * Loads a snapshot of an engine table into a table of a running node, over JMX. Needs only the plug-in's jar:
 * {@code java -cp cassiterite-5.0.jar io.cassiterite.tools.SnapshotLoad [-u USER -pwf FILE] HOST PORT KEYSPACE TABLE DIRECTORY}.
 * The directory is on the node.
 */
public final class SnapshotLoad
{
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int ARGUMENTS = 5;

    private SnapshotLoad()
    {
    }

    public static void main(String[] arguments)
    {
        System.exit(run(arguments));
    }

    private static int run(String[] words)
    {
        boolean hasUser = words.length == ARGUMENTS + 4 && words[0].equals("-u") && words[2].equals("-pwf");
        if (!hasUser && words.length != ARGUMENTS)
        {
            System.err.println("usage: SnapshotLoad [-u USER -pwf FILE] HOST PORT KEYSPACE TABLE DIRECTORY\n" +
                               "  USER FILE   where JMX asks: a user, and a file with lines 'USER PASSWORD', as nodetool reads it\n" +
                               "  HOST PORT   JMX address of the node, usually 127.0.0.1 7199\n" +
                               "  DIRECTORY   the engine's folder inside the snapshot, or its manifest: an absolute path on the node");
            return USAGE;
        }
        String[] arguments = Arrays.copyOfRange(words, words.length - ARGUMENTS, words.length);
        String why = SnapshotFolder.whyNotFound(arguments[4]);
        if (why != null)
        {
            System.err.println("not loaded: " + why);
            return USAGE;
        }
        String url = String.format("service:jmx:rmi:///jndi/rmi://%s:%s/jmxrmi", arguments[0], arguments[1]);
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(url),
                                                                  hasUser ? credentials(words[1], words[3]) : Map.of()))
        {
            long fragments = engine(connector).snapshotLoad(arguments[2], arguments[3], arguments[4]);
            System.out.printf("loaded %d fragments into %s.%s%n", fragments, arguments[2], arguments[3]);
            String beside = SnapshotFolder.sstablesBeside(Path.of(arguments[4]));
            if (beside != null)
                System.err.println("not all is loaded: " + beside);
            return 0;
        }
        catch (IOException | RuntimeException | MalformedObjectNameException e)
        {
            System.err.println("not loaded: " + (e.getMessage() == null ? e : e.getMessage()));
            return FAILED;
        }
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

    private static EngineMBean engine(JMXConnector connector) throws IOException, MalformedObjectNameException
    {
        MBeanServerConnection connection = connector.getMBeanServerConnection();
        ObjectName name = new ObjectName(EngineMBean.OBJECT_NAME);
        if (!connection.isRegistered(name))
            throw new IOException("the node has no Cassiterite engine running");
        return JMX.newMBeanProxy(connection, name, EngineMBean.class);
    }
}
