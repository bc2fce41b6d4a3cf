/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.io.sstable.CorruptSSTableException;

import io.cassiterite.node.FakeEngine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

class DamageWatchTest
{
    private static final String COLUMNS = "keyspace_name\ttable_name\tindex_name\terror\n";

    private final FakeEngine engine = new FakeEngine();
    private final List<Throwable> reported = new ArrayList<>();
    private final DamageWatch watch = new DamageWatch(engine.control(), reported::add);

    private void check(String rows)
    {
        engine.answers.put("report", COLUMNS + rows);
        watch.check();
    }

    @Test
    void intactTablesAreLeftAlone()
    {
        check("");
        assertEquals(List.of(), reported);
    }

    @Test
    void eachTableAndIndexIsReportedOnce()
    {
        check("ks\tt\t\tblock checksum mismatch\n");
        check("ks\tt\t\tblock checksum mismatch\nks\tt\tby_v\tblock checksum mismatch\n");
        check("ks\tt\t\tblock checksum mismatch\nks\tt\tby_v\tblock checksum mismatch\n");
        assertEquals(2, reported.size());
        assertInstanceOf(CorruptSSTableException.class, reported.get(0));
        assertEquals("block checksum mismatch", reported.get(0).getCause().getMessage());
    }

    @Test
    void damageThatComesBackIsReportedAgain()
    {
        check("ks\tt\t\tblock checksum mismatch\n");
        check("");
        check("ks\tt\t\tblock checksum mismatch\n");
        assertEquals(2, reported.size());
    }
}
