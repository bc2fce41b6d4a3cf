/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Properties;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CommitLogArchivingTest
{
    @Test
    void archivingIsReadFromTheFile()
    {
        Properties properties = new Properties();
        properties.setProperty("archive_command", " ");
        properties.setProperty("precision", "MICROSECONDS");
        assertNull(CommitLogArchiving.configured(properties));
        properties.setProperty("archive_command", "/bin/ln %path /backup/%name");
        properties.setProperty("restore_point_in_time", "2026:01:31 20:43:12");
        assertEquals("archive_command, restore_point_in_time", CommitLogArchiving.configured(properties));
    }

    @Test
    void aTimeOrAPositionMakesARestore()
    {
        assertFalse(CommitLogArchiving.isRestore(properties("archive_command", "/bin/ln %path /backup/%name")));
        assertTrue(CommitLogArchiving.isRestore(properties("restore_point_in_time", "2026:01:31 20:43:12")));
        assertTrue(CommitLogArchiving.isRestore(properties("snapshot_commitlog_position", "1769892192000, 17")));
    }

    @Test
    void anArchiveThatEachStartWouldReplayIsRefused()
    {
        Properties properties = properties("restore_directories", "/backup");
        assertTrue(CommitLogArchiving.ambiguity(properties).contains("each start would replay the archive"));
        properties.setProperty("snapshot_commitlog_position", "1769892192000, 17");
        assertNull(CommitLogArchiving.ambiguity(properties));
        assertNull(CommitLogArchiving.ambiguity(new Properties()));
    }

    private static Properties properties(String name, String value)
    {
        Properties properties = new Properties();
        properties.setProperty(name, value);
        return properties;
    }
}
