/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.time.Duration;
import java.util.List;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A session that loses its connections: it comes back, and what it has prepared and begun to read goes on. */
final class Interruption
{
    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final int ROWS = 20;
    private static final int PAGE_ROWS = 3;
    private static final int CONNECTIONS_MAX = 4;
    private static final int KEY = 1;

    private final Run run;
    private List<String> nodes;
    private String nextPage;

    Interruption(Run run)
    {
        this.run = run;
    }

    static void create(Cql cql)
    {
        cql.run("CREATE TABLE drivers.rows (k int, c int, v text, PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
        for (int row = 0; row < ROWS; row++)
            cql.run("INSERT INTO drivers.rows (k, c, v) VALUES (?, ?, ?)", KEY, row, "v" + row);
    }

    void before()
    {
        run.prepare("row", "SELECT * FROM drivers.rows WHERE k = ? AND c = ?");
        run.prepare("slice", "SELECT * FROM drivers.rows WHERE k = ?");
        read();
        nodes = run.session.nodes();
        List<String> page = run.session.page("slice", PAGE_ROWS, null, KEY);
        run.record("page before", page);
        String end = page.get(page.size() - 1);
        assertTrue(end.startsWith(DriverSession.NEXT), end);
        nextPage = end.substring(DriverSession.NEXT.length());
    }

    void after()
    {
        awaitReturn();
        run.record("page after", run.session.page("slice", PAGE_ROWS, nextPage, KEY));
        read();
        awaitEvents();
    }

    private void read()
    {
        run.warm("row", KEY, 2);
        run.warm("slice", KEY);
        run.execute("row", KEY, 2);
        run.execute("slice", KEY);
    }

    private void awaitReturn()
    {
        Await.untilAsserted(BOUND, () -> assertFalse(isAway(), () -> "the driver does not come back: " + run.session.nodes() + slice()));
    }

    /** The driver is registered for events again once it hears of two changes in a row. */
    private void awaitEvents()
    {
        Await.until("the driver hears of changes of the schema", BOUND, () -> Metadata.isHeard(run) && Metadata.isHeard(run));
    }

    private List<String> slice()
    {
        return run.session.execute("slice", Run.WHOLE, KEY);
    }

    /** A driver may have found out about one of its connections and not about the others. */
    private boolean isAway()
    {
        for (int connection = 0; connection < CONNECTIONS_MAX; connection++)
            if (slice().get(0).startsWith(DriverSession.ERROR))
                return true;
        return !run.session.nodes().equals(nodes);
    }
}
