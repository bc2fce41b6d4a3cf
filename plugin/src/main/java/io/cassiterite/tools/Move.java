/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.io.IOException;

import io.cassiterite.observe.EngineMBean;

/**
 * Says which way the rows of a table move between the engine and sstables on a running node, or has them exported, over JMX.
 * Needs only the plug-in's jar: {@code java -cp cassiterite-5.0.jar io.cassiterite.tools.Move [-u USER -pwf FILE] HOST PORT
 * KEYSPACE TABLE in|out|hold}, with {@code export FOLDER} in place of these, or with {@code HOST PORT status}.
 */
public final class Move
{
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int ARGUMENTS = 5;
    private static final int EXPORT_ARGUMENTS = 6;
    private static final int STATUS_ARGUMENTS = 3;
    private static final int VERB = 4;
    private static final String STATUS = "status";
    private static final String EXPORT = "export";

    private Move()
    {
    }

    public static void main(String[] arguments)
    {
        System.exit(run(arguments));
    }

    private static int run(String[] words)
    {
        String[] arguments = NodeConnection.arguments(words);
        boolean isStatus = arguments.length == STATUS_ARGUMENTS && arguments[2].equals(STATUS);
        boolean isExport = arguments.length == EXPORT_ARGUMENTS && arguments[VERB].equals(EXPORT);
        if (!isStatus && !isExport && arguments.length != ARGUMENTS)
        {
            System.err.println("usage: Move " + NodeConnection.OPTIONS + " HOST PORT KEYSPACE TABLE in|out|hold\n" +
                               "       Move " + NodeConnection.OPTIONS + " HOST PORT KEYSPACE TABLE export FOLDER\n" +
                               "       Move " + NodeConnection.OPTIONS + " HOST PORT status\n" +
                               NodeConnection.OPTIONS_HELP +
                               "  in          the sstables of the table move into the engine\n" +
                               "  out         the rows of the table leave the engine for sstables, the last ones with the next drain\n" +
                               "  hold        nothing moves\n" +
                               "  export      the table, as it is now on the node, is written to sstables in a new folder there");
            return USAGE;
        }
        try (NodeConnection node = NodeConnection.open(words))
        {
            EngineMBean engine = node.engine();
            if (isExport)
                engine.export(arguments[2], arguments[3], arguments[VERB + 1]);
            else if (!isStatus)
                engine.move(arguments[2], arguments[3], arguments[VERB]);
            print(engine, isExport);
            return 0;
        }
        catch (IOException | RuntimeException e)
        {
            System.err.println("not done: " + NodeConnection.reason(e));
            return FAILED;
        }
    }

    private static void print(EngineMBean engine, boolean ofExports)
    {
        String exports = engine.getExports();
        if (!ofExports)
            System.out.println(engine.getMoves());
        if (ofExports || exports.contains("\n"))
            System.out.println(exports);
    }
}
