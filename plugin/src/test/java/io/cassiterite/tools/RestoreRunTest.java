/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.cassiterite.node.StoreReport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RestoreRunTest
{
    private final List<String> loaded = new ArrayList<>();

    @Test
    void oneThatFailsStopsNoOther()
    {
        RestoreRun run = run(new IllegalStateException("it is damaged"));
        assertEquals(List.of("a", "c"), loaded);
        assertEquals(2, run.tables);
        assertEquals(14, run.fragments);
        assertEquals(List.of("shop.b: it is damaged"), run.failed);
    }

    @Test
    void aLostConnectionEndsIt()
    {
        RestoreRun run = run(new UndeclaredThrowableException(new IOException("connection reset")));
        assertEquals(List.of("a"), loaded);
        assertEquals(2, run.failed.size());
        assertTrue(run.failed.get(0).startsWith("shop.b: the connection to the node was lost") &&
                   run.failed.get(0).endsWith("connection reset"), run.failed::toString);
        assertTrue(run.failed.get(1).startsWith("shop.c: not tried"), run.failed::toString);
    }

    private RestoreRun run(RuntimeException failure)
    {
        RestoreRun run = new RestoreRun((keyspace, table, path) -> {
            if (table.equals("b"))
                throw failure;
            loaded.add(table);
            return 7;
        }, new PrintStream(OutputStream.nullOutputStream()));
        StringBuilder report = new StringBuilder("kind\tkeyspace_name\ttable_name\ttable_id\tfolder\tsnapshot\tmanifest\tis_increment\t" +
                                                 "generation\tfiles\tbytes\tis_engine\thas_rows\tkey\terror");
        for (String table : List.of("a", "b", "c"))
            report.append("\ntable\tshop\t").append(table).append('\t').append(table).append("\t\t\t\t\t\t\t\t1\t0\t\t")
                  .append("\nmanifest\tshop\t").append(table).append('\t').append(table).append("\t/x/").append(table)
                  .append("/.cassiterite\t\tm\t0\t1\t1\t1\t\t\t\t");
        run.run(RestorePlan.of(StoreReport.parse(report.toString()), RestoreOptionsTest.parse("/x")).possible());
        return run;
    }
}
