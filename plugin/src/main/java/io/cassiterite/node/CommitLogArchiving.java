/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * What of the node's commit log is archived or restored, by the file that Cassandra reads ({@code CommitLogArchiver}). Both
 * have the writes to engine tables whose configuration says {@link CommitLogParameter}.
 */
public final class CommitLogArchiving
{
    /** System property by which an operator confirms that engine tables are backed up in another way. */
    public static final String ACCEPTED = "cassiterite.without_commitlog_archive";

    private static final String FILE_NAME = "commitlog_archiving.properties";
    private static final String DIRECTORIES = "restore_directories";
    private static final String POINT_IN_TIME = "restore_point_in_time";
    private static final String POSITION = "snapshot_commitlog_position";
    private static final String[] COMMANDS = { "archive_command", "restore_command", POINT_IN_TIME };

    private CommitLogArchiving()
    {
    }

    /** @return the settings that are not empty, as "archive_command, restore_command"; null if there are none, or they are accepted */
    public static String configured()
    {
        return Boolean.getBoolean(ACCEPTED) ? null : configured(read());
    }

    static String configured(Properties properties)
    {
        List<String> set = new ArrayList<>();
        for (String command : COMMANDS)
            if (isSet(properties, command))
                set.add(command);
        return set.isEmpty() ? null : String.join(", ", set);
    }

    /** @return whether this start restores: Cassandra replays the log again, up to a time or from a position */
    public static boolean isRestore()
    {
        return isRestore(read());
    }

    static boolean isRestore(Properties properties)
    {
        return isSet(properties, POINT_IN_TIME) || isSet(properties, POSITION);
    }

    /** @return why a node with engine tables must not start with these settings, or null if it may */
    public static String ambiguity()
    {
        return ambiguity(read());
    }

    static String ambiguity(Properties properties)
    {
        if (!isSet(properties, DIRECTORIES) || isRestore(properties))
            return null;
        return String.format("%s sets %s, but neither %s nor %s: each start would replay the archive, and bring rows into Cassiterite"
                             + " tables that were deleted since. Set one of them for a restore; else empty %s.",
                             FILE_NAME, DIRECTORIES, POINT_IN_TIME, POSITION, DIRECTORIES);
    }

    private static boolean isSet(Properties properties, String name)
    {
        return !properties.getProperty(name, "").isBlank();
    }

    private static Properties read()
    {
        Properties properties = new Properties();
        try (InputStream stream = CommitLogArchiving.class.getClassLoader().getResourceAsStream(FILE_NAME))
        {
            if (stream != null)
                properties.load(stream);
            return properties;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("Unable to load " + FILE_NAME, e);
        }
    }

    /** @return why an engine table cannot be on this node */
    public static String refusal(String table, String configured)
    {
        return String.format("%s is a Cassiterite table, whose writes are not in the commit log, but %s sets %s: what is archived there," +
                             " and restored from there, would lack its rows. Add %s: true to the parameters of its memtable" +
                             " configuration, empty the setting, use another memtable, or, if the table is backed up by snapshots" +
                             " alone, set -D%s=true.", table, FILE_NAME, configured, CommitLogParameter.NAME, ACCEPTED);
    }
}
