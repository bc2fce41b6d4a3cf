/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.cassiterite.node.StoreReport;
import io.cassiterite.observe.EngineMBean;

/**
 * Loads all engine tables of a backup into a running node, over JMX: of a snapshot of the node, or of a folder on the node's machine.
 * Needs only the plug-in's jar: {@code java -cp cassiterite-5.0.jar io.cassiterite.tools.Restore [-u USER -pwf FILE] HOST PORT
 * TAG|FOLDER [options] [--run]}. Without {@code --run} it lists what it would do. The exit code is 0 if all that was asked for is
 * loaded, or would be.
 */
public final class Restore
{
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final RestoreOptions options;
    private final RestorePlan plan;

    private Restore(RestoreOptions options, RestorePlan plan)
    {
        this.options = options;
        this.plan = plan;
    }

    public static void main(String[] arguments)
    {
        System.exit(run(arguments));
    }

    private static int run(String[] words)
    {
        RestoreOptions options;
        try
        {
            options = RestoreOptions.parse(NodeConnection.arguments(words));
        }
        catch (IllegalArgumentException e)
        {
            System.err.println(e.getMessage() + "\n" + RestoreOptions.USAGE);
            return USAGE;
        }
        try (NodeConnection node = NodeConnection.open(words))
        {
            EngineMBean engine = node.engine();
            RestorePlan plan = RestorePlan.of(StoreReport.parse(engine.reportBackup(options.source)), options);
            return new Restore(options, plan).run(engine);
        }
        catch (IOException | RuntimeException e)
        {
            System.err.println("nothing is loaded: " + NodeConnection.reason(e));
            return FAILED;
        }
    }

    private int run(EngineMBean engine)
    {
        plan.tables.forEach(Restore::print);
        plan.stock.describe().forEach(System.out::println);
        if (!plan.without.isEmpty())
            System.out.printf("the backup has nothing of %s: empty then, or of another backup%n",
                              String.join(", ", plan.without));
        String why = whyNothing();
        if (why != null)
        {
            System.err.println(why);
            return FAILED;
        }
        return options.isRun ? load(engine) : dryRun();
    }

    /** @return why nothing at all is loaded, or null */
    private String whyNothing()
    {
        if (plan.isEmpty())
            return "nothing to load: " + (options.isFolder() ? options.source : "the snapshot " + options.source + " of the node") +
                   " has no files of engine tables that are asked for";
        return plan.isForeign ? "nothing is loaded: the node knows no table of this backup by its id. Create the keyspaces and tables " +
                                "first, each from schema.cql of its snapshot, which has the id; or, into tables of the same names, use " +
                                "--by-name"
                              : null;
    }

    private int dryRun()
    {
        List<TableRestore> possible = plan.possible();
        System.out.printf("would load %d of %d tables: %d files, %s. Nothing is loaded without --run%n", possible.size(),
                          plan.tables.size(), possible.stream().mapToLong(table -> table.files).sum(),
                          ByteCount.text(possible.stream().mapToLong(table -> table.bytes).sum()));
        return plan.fallingShort().isEmpty() ? 0 : FAILED;
    }

    private int load(EngineMBean engine)
    {
        RestoreRun run = new RestoreRun(engine::snapshotLoad, System.out);
        run.run(plan.possible());
        List<String> failed = new ArrayList<>(run.failed);
        plan.fallingShort().forEach(table -> failed.add(table.name() + ": " + table.shortfall()));
        System.out.printf("loaded %d of %d tables, %d fragments%n", run.tables, plan.tables.size(), run.fragments);
        if (failed.isEmpty())
            return 0;
        System.err.println("not all is loaded. What is may be loaded again without harm. Missing:");
        failed.forEach(line -> System.err.println("  " + line));
        return FAILED;
    }

    private static void print(TableRestore table)
    {
        if (table.problem == null)
            System.out.printf("%s: %d files, %s, from %s%n", table.name(), table.files, ByteCount.text(table.bytes),
                              String.join(", ", table.paths));
        else
            System.out.printf("%s: cannot be loaded: %s%n", table.name(), table.problem);
        table.notes.forEach(note -> System.out.println("    " + note));
        if (table.left != null)
            System.out.println("    " + table.left);
    }
}
