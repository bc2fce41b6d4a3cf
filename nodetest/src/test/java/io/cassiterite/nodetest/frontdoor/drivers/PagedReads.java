/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.ArrayList;
import java.util.List;

import io.cassiterite.nodetest.Cql;

/** Partitions with hundreds of rows, read in pages of all sizes, in both directions. */
final class PagedReads implements Scenario
{
    private static final int ROWS = 200;
    private static final int[] PAGE_ROWS = { 1, 2, 7, Run.WHOLE };
    private static final int OTHERS_PAGE_ROWS = 7;
    private static final int MAX_PAGES = 2 * ROWS;

    private static final String[][] SELECTS = {
        { "forwards", "SELECT * FROM drivers.pages WHERE p = ?" },
        { "backwards", "SELECT * FROM drivers.pages WHERE p = ? ORDER BY a DESC, b ASC" },
    };

    @Override
    public void create(Cql cql)
    {
        cql.run("CREATE TABLE drivers.pages (p text, a int, b text, s text static, v text, w int, PRIMARY KEY (p, a, b))"
                + " WITH CLUSTERING ORDER BY (a ASC, b DESC) AND memtable = 'cassiterite'");
        cql.run("INSERT INTO drivers.pages (p, a, b, v) VALUES ('one', 1, 'b', 'only')");
        cql.run("INSERT INTO drivers.pages (p, s) VALUES ('static', 'and no row')");
        cql.run("INSERT INTO drivers.pages (p, s) VALUES ('many', 'static')");
        for (int row = 0; row < ROWS; row++)
            cql.run("INSERT INTO drivers.pages (p, a, b, v) VALUES ('many', ?, ?, ?)", row / 3, "b" + row % 3, "v".repeat(row));
        // Pages count rows, not tombstones.
        cql.run("DELETE FROM drivers.pages WHERE p = 'many' AND a > 20 AND a < 25");
        cql.run("DELETE v FROM drivers.pages WHERE p = 'many' AND a = 30 AND b = 'b1'");
    }

    @Override
    public void run(Run run)
    {
        for (String[] select : SELECTS)
        {
            run.prepare(select[0], select[1]);
            run.warm(select[0], "many");
            for (String partition : List.of("none", "one", "static", "many"))
                for (int pageRows : PAGE_ROWS)
                    all(run, select[0], pageRows, partition);
            for (int pageRows : PAGE_ROWS)
                run.record("pages of " + select[0] + ' ' + pageRows, pages(List.of(run.session), select[0], pageRows, "many"));
        }
        run.prepare("slice", "SELECT a, b, v FROM drivers.pages WHERE p = ? AND (a, b) > (?, ?) LIMIT ?");
        run.warm("slice", "many", 5, "b1", 9);
        for (int pageRows : PAGE_ROWS)
            run.record("slice " + pageRows, run.session.execute("slice", pageRows, "many", 5, "b1", 50));
    }

    private static void all(Run run, String select, int pageRows, String partition)
    {
        run.record(select + ' ' + partition + " in pages of " + pageRows, run.session.execute(select, pageRows, partition));
    }

    /** A page that one session began, the other continues. Both have run this scenario. */
    static void assertPagesContinue(DriverSession one, DriverSession other)
    {
        for (String[] select : SELECTS)
        {
            List<String> expected = pages(List.of(one), select[0], OTHERS_PAGE_ROWS, "many");
            Transcripts.assertSame(expected, pages(List.of(one, other), select[0], OTHERS_PAGE_ROWS, "many"));
            Transcripts.assertSame(expected, pages(List.of(other, one), select[0], OTHERS_PAGE_ROWS, "many"));
        }
    }

    /**
     * Reads a partition page by page.
     *
     * @param sessions each reads the page that follows the page of the one before; all have prepared the statement
     */
    private static List<String> pages(List<DriverSession> sessions, String select, int pageRows, String partition)
    {
        List<String> lines = new ArrayList<>();
        String state = null;
        for (int page = 0; page < MAX_PAGES; page++)
        {
            List<String> answer = sessions.get(page % sessions.size()).page(select, pageRows, state, partition);
            lines.addAll(answer);
            String end = answer.get(answer.size() - 1);
            if (!end.startsWith(DriverSession.NEXT))
                return lines;
            state = end.substring(DriverSession.NEXT.length());
        }
        throw new AssertionError("pages without an end: " + lines);
    }
}
