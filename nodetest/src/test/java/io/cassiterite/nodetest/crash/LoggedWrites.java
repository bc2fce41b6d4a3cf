/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;

import io.cassiterite.nodetest.Cql;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Writes of engine tables before which Cassandra writes a record into its commit log. Each writer has its own rows. */
abstract class LoggedWrites
{
    static final int WRITERS = 24;

    /** Of each writer, how many of its writes were acknowledged. */
    final long[] done = new long[WRITERS];

    abstract void create(Cql cql);

    abstract void write(Cql cql, int writer);

    /** The errors in a writer's rows; empty if there are none. */
    abstract List<String> wrong(Cql cql, int writer);

    /** Lightweight transactions, each of which builds on the one before. */
    static final class Steps extends LoggedWrites
    {
        @Override
        void create(Cql cql)
        {
            cql.run("CREATE TABLE steps (p int PRIMARY KEY, n bigint, v text) WITH memtable = 'cassiterite'");
            for (int p = 0; p < WRITERS; p++)
                cql.run("INSERT INTO steps (p, n, v) VALUES (?, 0, '0')", p);
        }

        @Override
        void write(Cql cql, int writer)
        {
            long next = done[writer] + 1;
            assertTrue(cql.run("UPDATE steps SET n = ?, v = ? WHERE p = ? IF n = ?", next, Long.toString(next), writer, done[writer])
                          .wasApplied());
            done[writer] = next;
        }

        @Override
        List<String> wrong(Cql cql, int writer)
        {
            SimpleStatement read = SimpleStatement.newInstance("SELECT n FROM steps WHERE p = " + writer);
            long found = cql.session().execute(read.setConsistencyLevel(ConsistencyLevel.SERIAL)).one().getLong("n");
            return found >= done[writer] ? List.of()
                                         : List.of("step " + done[writer] + " of " + writer + " was acknowledged, found " + found);
        }
    }

    /** Logged batches over many partitions. */
    static final class Batches extends LoggedWrites
    {
        private static final int PARTS = 60;

        @Override
        void create(Cql cql)
        {
            cql.run("CREATE TABLE parts (b text, part int, v text, PRIMARY KEY ((b, part))) WITH memtable = 'cassiterite'");
        }

        @Override
        void write(Cql cql, int writer)
        {
            BatchStatementBuilder parts = BatchStatement.builder(DefaultBatchType.LOGGED);
            for (int part = 0; part < PARTS; part++)
                parts.addStatement(SimpleStatement.newInstance("INSERT INTO parts (b, part, v) VALUES (?, ?, 'value')",
                                                               name(writer, done[writer]), part));
            cql.session().execute(parts.build());
            done[writer]++;
        }

        /** Checks the last acknowledged batch and the one under way: neither partial nor lost. */
        @Override
        List<String> wrong(Cql cql, int writer)
        {
            List<String> wrong = new ArrayList<>();
            for (long batch = Math.max(0, done[writer] - 1); batch <= done[writer]; batch++)
            {
                int found = 0;
                for (int part = 0; part < PARTS; part++)
                    found += cql.rows("SELECT v FROM parts WHERE b = ? AND part = ?", name(writer, batch), part).size();
                if (!(batch < done[writer] ? Set.of(PARTS) : Set.of(0, PARTS)).contains(found))
                    wrong.add("of batch " + name(writer, batch) + " found " + found + " parts of " + PARTS);
            }
            return wrong;
        }

        private static String name(int writer, long batch)
        {
            return writer + "/" + batch;
        }
    }

    /** One mutation over an engine table and a stock one. */
    static final class Pairs extends LoggedWrites
    {
        @Override
        void create(Cql cql)
        {
            cql.run("CREATE TABLE ours (p int PRIMARY KEY, n bigint) WITH memtable = 'cassiterite'");
            cql.run("CREATE TABLE theirs (p int PRIMARY KEY, n bigint)");
        }

        @Override
        void write(Cql cql, int writer)
        {
            long next = done[writer] + 1;
            BatchStatementBuilder pair = BatchStatement.builder(DefaultBatchType.LOGGED);
            for (String table : new String[]{ "ours", "theirs" })
                pair.addStatement(SimpleStatement.newInstance("INSERT INTO " + table + " (p, n) VALUES (?, ?)", writer, next));
            cql.session().execute(pair.build());
            done[writer] = next;
        }

        @Override
        List<String> wrong(Cql cql, int writer)
        {
            List<String> wrong = new ArrayList<>();
            for (String table : new String[]{ "ours", "theirs" })
            {
                List<String> found = cql.texts("SELECT n FROM " + table + " WHERE p = " + writer);
                boolean isNoneYet = done[writer] == 0 && found.isEmpty();
                if (!isNoneYet && !found.equals(List.of("n=" + done[writer])) && !found.equals(List.of("n=" + (done[writer] + 1))))
                    wrong.add("pair " + done[writer] + " of " + writer + " was acknowledged, " + table + " has " + found);
            }
            return wrong;
        }
    }
}
