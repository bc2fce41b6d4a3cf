/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.cassiterite.node.EngineControl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CompactionHistoryTest
{
    private static final String HEAD = "compaction_id\tkeyspace_name\ttable_name\tindex_name\tinput_level\toutput_level\tbegan_us" +
                                       "\ttotal_bytes\tdone_bytes\tended_ms\tinput_bytes\toutput_bytes\n";

    private String lines = "";
    private final List<Long> written = new ArrayList<>();
    private final CompactionHistory history = new CompactionHistory(engine(), compaction -> written.add(compaction.number));

    private EngineControl engine()
    {
        return (EngineControl) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[]{ EngineControl.class },
                                                                        (proxy, method, arguments) -> HEAD + lines);
    }

    private static String ended(long number)
    {
        return number + "\tks\tt\t\t0\t6\t" + number + "\t10\t10\t1700000000000\t7\t5\n";
    }

    private static String running(long number)
    {
        return number + "\tks\tt\tby_v\t0\t6\t" + number + "\t10\t3\t0\t0\t0\n";
    }

    @Test
    void eachIsWrittenOnceWhenItHasEnded()
    {
        lines = running(1);
        history.update();
        assertEquals(List.of(), written);
        lines = ended(2) + ended(3) + running(1);
        history.update();
        lines = ended(2) + ended(3) + ended(1) + running(4);
        history.update();
        history.update();
        assertEquals(List.of(2L, 3L, 1L), written);
    }

    @Test
    void whatTheEngineHasForgottenIsLeftOut()
    {
        lines = ended(1) + ended(2);
        history.update();
        lines = ended(5) + ended(6);
        history.update();
        assertEquals(List.of(1L, 2L, 5L, 6L), written);
    }

    @Test
    void theReportIsRead()
    {
        List<EngineCompaction> all = EngineCompaction.all(HEAD + ended(1) + running(2));
        assertFalse(all.get(0).isRunning());
        assertTrue(all.get(1).isRunning());
        assertEquals("t", all.get(0).table);
        assertEquals("t.by_v", all.get(1).table);
        assertEquals(5, all.get(0).outputBytes);
        assertEquals(all.get(1).id(), EngineCompaction.all(HEAD + running(2)).get(0).id());
        assertFalse(all.get(0).id().equals(all.get(1).id()));
    }
}
