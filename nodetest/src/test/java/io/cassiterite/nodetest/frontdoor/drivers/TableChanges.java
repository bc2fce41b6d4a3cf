/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

/** Statements that the driver has prepared, while what they read changes: the driver sees the columns of today. */
final class TableChanges implements Scenario
{
    private static final String KEYSPACE = "drivers_changing";
    private static final String TABLE = KEYSPACE + ".t";

    @Override
    public void run(Run run)
    {
        run.other.freshKeyspace(KEYSPACE);
        run.other.run("CREATE TYPE " + KEYSPACE + ".pair (a int)");
        create(run, "v text, u " + KEYSPACE + ".pair");
        run.other.run("INSERT INTO " + TABLE + " (k, c, v, u) VALUES (1, 1, 'v', {a: 1})");
        run.prepare("all", "SELECT * FROM " + TABLE + " WHERE k = ?");
        run.prepare("one", "SELECT v FROM " + TABLE + " WHERE k = ? AND c = ?");
        change(run, "INSERT INTO " + TABLE + " (k, c, v) VALUES (1, 2, 'second')");
        change(run, "ALTER TABLE " + TABLE + " ADD w int");
        change(run, "UPDATE " + TABLE + " SET w = 7 WHERE k = 1 AND c = 1");
        change(run, "ALTER TYPE " + KEYSPACE + ".pair ADD b text");
        change(run, "UPDATE " + TABLE + " SET u = {a: 2, b: 'two'} WHERE k = 1 AND c = 2");
        change(run, "ALTER TABLE " + TABLE + " DROP v");
        change(run, "TRUNCATE " + TABLE);
        run.other.run("DROP TABLE " + TABLE);
        executeBoth(run, "drop");
        create(run, "v text, x bigint");
        change(run, "INSERT INTO " + TABLE + " (k, c, v, x) VALUES (1, 1, 'again', 5)");
        change(run, "DELETE FROM " + TABLE + " WHERE k = 1");
    }

    private static void create(Run run, String columns)
    {
        run.other.run("CREATE TABLE " + TABLE + " (k int, c int, " + columns + ", PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
    }

    /** Changes what the door answers. */
    private static void change(Run run, String cql)
    {
        run.warmIfValid("all", 1);
        run.warmIfValid("one", 1, 1);
        run.other.run(cql);
        executeBoth(run, cql);
    }

    private static void executeBoth(Run run, String after)
    {
        for (int i = 0; i < 3; i++)
        {
            run.record("all after " + after, run.session.execute("all", Run.WHOLE, 1));
            run.record("one after " + after, run.session.execute("one", Run.WHOLE, 1, 1));
        }
    }
}
