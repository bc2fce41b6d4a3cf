/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.io.IOException;
import java.nio.file.Path;

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
        String[] arguments = NodeConnection.arguments(words);
        if (arguments.length != ARGUMENTS)
        {
            System.err.println("usage: SnapshotLoad " + NodeConnection.OPTIONS + " HOST PORT KEYSPACE TABLE DIRECTORY\n" +
                               NodeConnection.OPTIONS_HELP +
                               "  DIRECTORY   the engine's folder in the snapshot or in backups, or a manifest: an absolute path on" +
                               " the node");
            return USAGE;
        }
        String why = SnapshotFolder.whyNotFound(arguments[4]);
        if (why != null)
        {
            System.err.println("not loaded: " + why);
            return USAGE;
        }
        try (NodeConnection node = NodeConnection.open(words))
        {
            long fragments = node.engine().snapshotLoad(arguments[2], arguments[3], arguments[4]);
            System.out.printf("loaded %d fragments into %s.%s%n", fragments, arguments[2], arguments[3]);
            String beside = SnapshotFolder.sstablesBeside(Path.of(arguments[4]));
            if (beside != null)
                System.err.println("not all is loaded: " + beside);
            return 0;
        }
        catch (IOException | RuntimeException e)
        {
            System.err.println("not loaded: " + NodeConnection.reason(e));
            return FAILED;
        }
    }
}
