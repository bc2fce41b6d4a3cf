/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.JVMStabilityInspector;
import org.apache.cassandra.utils.NoSpamLogger;

/** The steps of a periodic thread: a step that fails ends neither the thread nor the steps after it. */
public final class BackgroundWork
{
    private static final Logger logger = LoggerFactory.getLogger(BackgroundWork.class);

    private BackgroundWork()
    {
    }

    /**
     * Runs a step and throws nothing.
     *
     * @return false if the step failed
     */
    public static boolean attempt(String what, Runnable step)
    {
        try
        {
            step.run();
            return true;
        }
        catch (Exception | Error e)
        {
            failed(what + " failed", e);
            return false;
        }
    }

    /** Logs the failure of a step, each message once a minute, and asks the node's failure policies; throws nothing. */
    public static void failed(String message, Throwable failure)
    {
        try
        {
            NoSpamLogger.log(logger, NoSpamLogger.Level.ERROR, message, 1, TimeUnit.MINUTES, "{}", message, failure);
            JVMStabilityInspector.inspectThrowable(failure);
        }
        catch (Exception | Error e)
        {
            undecided(message, e);
        }
    }

    /** Where not even this can be logged, the thread has to go on all the same. */
    private static void undecided(String message, Throwable failure)
    {
        try
        {
            logger.error("No failure policy decided about this: {}", message, failure);
        }
        catch (Exception | Error e)
        {
            // for want of memory, say
        }
    }
}
