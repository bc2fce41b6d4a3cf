/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.JVMStabilityInspector;

/** Refuses a configuration or an engine that cannot be used. */
public final class StartRefusal
{
    private static final Logger logger = LoggerFactory.getLogger(StartRefusal.class);

    private StartRefusal()
    {
    }

    /**
     * Cassandra takes a failing memtable factory for an unknown one and, while it loads the schema, opens the table with
     * its default memtable instead: then the JVM stops.
     *
     * @return what to throw
     */
    public static ConfigurationException of(String message, Throwable cause)
    {
        ConfigurationException refusal = new ConfigurationException("Cassiterite: " + message, cause);
        if (DatabaseDescriptor.isDaemonInitialized() && !StorageService.instance.isDaemonSetupCompleted())
        {
            logger.error("{} The node must not start.", refusal.getMessage(), cause);
            JVMStabilityInspector.killCurrentJVM(refusal, true);
        }
        return refusal;
    }
}
