/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.net.MalformedURLException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.InheritingClass;
import org.apache.cassandra.config.ParameterizedClass;
import org.apache.cassandra.exceptions.ConfigurationException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StartInspectionTest
{
    @Test
    void inheritanceIsResolvedInAnyOrder()
    {
        Map<String, InheritingClass> definitions = new LinkedHashMap<>();
        definitions.put("third", new InheritingClass("second", null, Map.of("c", "3")));
        definitions.put("second", new InheritingClass("first", null, Map.of("b", "2")));
        definitions.put("first", new InheritingClass(null, "io.cassiterite.memtable.CassiteriteMemtable", Map.of("a", "1")));

        Map<String, ParameterizedClass> resolved = StartInspection.configurations(definitions);
        assertEquals("io.cassiterite.memtable.CassiteriteMemtable", resolved.get("third").class_name);
        assertEquals(Map.of("a", "1", "b", "2", "c", "3"), resolved.get("third").parameters);
        assertEquals("SkipListMemtable", resolved.get("default").class_name);
    }

    @Test
    void noConfigurationMeansTheDefault()
    {
        assertEquals("SkipListMemtable", StartInspection.configurations(null).get("default").class_name);
    }

    /** M2: a URL is encoded, and a shell takes a path apart. */
    @Test
    void theJarsPathIsForAShell() throws MalformedURLException
    {
        String command = StartInspection.loadCommand(Path.of("/opt/my lib/ü%/cassiterite.jar").toUri().toURL());
        assertTrue(command.startsWith("java -cp '/opt/my lib/ü%/cassiterite.jar' io.cassiterite.tools.SnapshotLoad 127.0.0.1 "), command);
    }

    @Test
    void loopIsRefused()
    {
        Map<String, InheritingClass> definitions = Map.of("a", new InheritingClass("b", null, null),
                                                          "b", new InheritingClass("a", null, null));
        assertThrows(ConfigurationException.class, () -> StartInspection.configurations(definitions));
    }
}
