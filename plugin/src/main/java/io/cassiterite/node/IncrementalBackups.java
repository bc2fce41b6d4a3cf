/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;

import io.cassiterite.engine.Store;

/** Whether Cassandra's incremental backups are on, by cassandra.yaml or nodetool, and are to have engine tables. Thread-safe. */
public final class IncrementalBackups
{
    /** System property by which an operator leaves all engine tables out of them. */
    public static final String WITHOUT = "cassiterite.without_incremental_backups";

    private static final Logger logger = LoggerFactory.getLogger(IncrementalBackups.class);

    private static Store told;
    private static boolean toldAreOn;

    private IncrementalBackups()
    {
    }

    public static boolean areOn()
    {
        return DatabaseDescriptor.isIncrementalBackupsEnabled() && !Boolean.getBoolean(WITHOUT);
    }

    /** Has the store keep files for them, or no more, if that has changed. */
    public static synchronized void follow(Store store)
    {
        boolean areOn = areOn();
        if (store == told && areOn == toldAreOn)
            return;
        store.keepIncrements(areOn);
        told = store;
        toldAreOn = areOn;
    }

    /** The same while the node starts, which goes on; the maintenance thread tries again. */
    static void followAtStart(Store store)
    {
        try
        {
            follow(store);
        }
        catch (RuntimeException e)
        {
            logger.error("Cassiterite's store cannot keep files for incremental backups yet", e);
        }
    }
}
