/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.NativeLibrary;
import io.cassiterite.engine.Store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever YAML makes of a parameter is taken, or refused in one sentence. */
class ParametersTest
{
    private static final List<String> NAMES = List.of(
        "directory", "wal_directory", "block_cache_size", "write_buffers_total", "write_buffer_size", "target_file_size",
        "max_wal_size", "wal_recovery", "background_jobs", "compaction_rate_limit", "compaction_style", "periodic_compaction",
        "compression", "bottommost_compression", "block_size", "bloom_bits", "max_open_files", "wal_sync", "front_door",
        "front_door_responses", "front_door_verdicts", "front_door_quorum_reads", "front_door_port", "front_door_writes", "front_door_tls",
        "stats_level", "stop_at_newest", "flushed_blocks", "level0_files_unread", "node.commitlog_sync", "unheard_of");

    private static final List<Object> VALUES = Collections.unmodifiableList(listed(
        null, "", "  ", true, false, 0, 1, -1, 8, 10L, Long.MAX_VALUE, BigInteger.TWO.pow(70), 1.5, -0.0, Double.NaN,
        new Date(0), List.of(), List.of("off"), List.of(1, 2), Map.of(), Map.of("a", 1), "off", "two\nlines", "zero\0byte", "d",
        "~/d", "./d", "file:///d", "512MiB", "512", "64MiB/s", "10d", "\u00e9".repeat(1000)));

    private static List<Object> listed(Object... values)
    {
        List<Object> list = new ArrayList<>();
        Collections.addAll(list, values);
        return list;
    }

    static Stream<Arguments> all()
    {
        return NAMES.stream().flatMap(name -> VALUES.stream().map(value -> Arguments.of(name, value)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void itIsTakenOrRefused(String name, Object value)
    {
        NativeLibrary.load();
        try
        {
            Map<String, String> parameters = Parameters.of(Collections.singletonMap(name, value));
            parameters.putIfAbsent(Store.DIRECTORY, "/d");
            Store.check(parameters);
            assertTrue(parameters.get(name).length() < 20, name);
        }
        catch (IllegalArgumentException | EngineException e)
        {
            String message = e.getMessage();
            assertTrue(message.startsWith("parameter " + name) || message.startsWith("unknown parameter \"unheard_of\"; "), message);
            assertEquals(1, message.lines().count(), message);
        }
    }

    @Test
    void aBareOffIsOff()
    {
        assertEquals(Map.of("front_door", "off", "bloom_bits", "8", "compression", "none"),
                     Parameters.of(Map.of("front_door", false, "bloom_bits", 8, "compression", " none ")));
        assertEquals(Map.of(), Parameters.of(null));
    }

    @Test
    void aRefusalTellsWhatToDo()
    {
        String relative = refusal("directory", "d");
        assertTrue(relative.matches("parameter directory=d is not possible, it is: absolute path; write /.*/d if you mean that"), relative);
        assertEquals("parameter front_door has no value: give it one, or leave it out", refusal("front_door", null));
        assertEquals("parameter wal_sync=[batch] is not possible, it is one value: no list, and no map",
                     refusal("wal_sync", List.of("batch")));
        assertTrue(refusal("node.commitlog_sync", "batch").contains("set commitlog_sync there"));
    }

    private static String refusal(String name, Object value)
    {
        return assertThrows(IllegalArgumentException.class, () -> Parameters.of(Collections.singletonMap(name, value))).getMessage();
    }
}
