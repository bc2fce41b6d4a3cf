/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Loads what a plan says, table by table; one that fails stops no other. */
final class RestoreRun
{
    /** Has the node load one folder, or one manifest. */
    interface Loader
    {
        /** @return the number of fragments loaded */
        long load(String keyspace, String table, String path);
    }

    private static final String LOST = "the connection to the node was lost, which may still be loading: see its log, and run this again. ";

    private final Loader loader;
    private final PrintStream out;
    /** Lines about what was not loaded, with the reason and what to do. */
    final List<String> failed = new ArrayList<>();
    long tables;
    long fragments;
    private boolean isCutOff;

    RestoreRun(Loader loader, PrintStream out)
    {
        this.loader = loader;
        this.out = out;
    }

    void run(List<TableRestore> wanted)
    {
        int number = 0;
        for (TableRestore table : wanted)
        {
            number++;
            if (isCutOff)
                failed.add(table.name() + ": not tried, for the connection to the node was lost before");
            else
                load(table, number + "/" + wanted.size());
        }
    }

    private void load(TableRestore table, String place)
    {
        out.printf("%s %s: loading %d files, %s%n", place, table.name(), table.files, ByteCount.text(table.bytes));
        out.flush();
        int loaded = 0;
        long before = fragments;
        try
        {
            for (String path : table.paths)
            {
                fragments += loader.load(table.keyspace, table.table, path);
                loaded++;
            }
            tables++;
            out.printf("%s %s: loaded %d fragments%n", place, table.name(), fragments - before);
        }
        catch (RuntimeException e)
        {
            isCutOff = isConnectionLost(e);
            String why = (isCutOff ? LOST : "") + NodeConnection.reason(e);
            failed.add(table.name() + ": " + why + (loaded == 0 ? "" : "\n    loaded by then: " + table.paths.subList(0, loaded)));
            out.printf("%s %s: not loaded%n", place, table.name());
        }
    }

    /** A proxy of an MBean wraps what it does not declare. */
    private static boolean isConnectionLost(RuntimeException e)
    {
        return e.getCause() instanceof IOException;
    }
}
