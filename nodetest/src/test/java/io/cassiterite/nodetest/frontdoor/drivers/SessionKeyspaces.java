/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import io.cassiterite.nodetest.Cql;

/** Statements that name no keyspace: they mean the session's, as it was when they were prepared. */
final class SessionKeyspaces implements Scenario
{
    private static final String OURS = "SELECT v FROM t WHERE k = ?";
    private static final String OTHER = "SELECT k, v FROM t WHERE k = ?";

    @Override
    public void create(Cql cql)
    {
        for (String keyspace : new String[]{ "drivers_a", "drivers_b" })
        {
            cql.freshKeyspace(keyspace);
            cql.run("CREATE TABLE " + keyspace + ".t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO " + keyspace + ".t (k, v) VALUES (1, 'of " + keyspace + "')");
        }
        // Who prepares them first is warned, and nobody else.
        prepare(cql, "drivers_a", OURS);
        prepare(cql, "drivers_b", OTHER);
    }

    private static void prepare(Cql cql, String keyspace, String select)
    {
        cql.run("USE " + keyspace);
        cql.run(select, 1);
    }

    @Override
    public void run(Run run)
    {
        run.prepare("early", OURS);
        run.record("use", run.session.use("drivers_a"));
        run.prepare("ours", OURS);
        run.prepare("named", "SELECT v FROM drivers_b.t WHERE k = ?");
        run.warm("ours", 1);
        run.warm("named", 1);
        executeBoth(run);
        run.record("use", run.session.use("drivers_b"));
        executeBoth(run);
        run.prepare("other", OTHER);
        run.warm("other", 1);
        run.execute("other", 1);
        executeBoth(run);
        run.record("use", run.session.use("drivers_a"));
        run.warm("ours", 1);
        executeBoth(run);
        run.execute("other", 1);
        run.record("use", run.session.use("nowhere"));
        executeBoth(run);
    }

    private static void executeBoth(Run run)
    {
        run.execute("ours", 1);
        run.execute("named", 1);
    }
}
