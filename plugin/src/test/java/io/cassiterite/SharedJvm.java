/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import io.cassiterite.memtable.TestMemtable;

/**
 * Sets Cassandra up in a JVM that test classes share, before the first of them: whatever their order, Cassandra's classes
 * are initialized in the same state.
 */
public final class SharedJvm implements LauncherSessionListener
{
    /** Set by pom.xml. */
    private static final String PROPERTY = "cassiterite.shared_jvm";

    @Override
    public void launcherSessionOpened(LauncherSession session)
    {
        if (Boolean.getBoolean(PROPERTY))
            TestMemtable.initialize();
    }
}
