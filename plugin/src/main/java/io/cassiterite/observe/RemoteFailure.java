/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns failures into exceptions that a JMX client can read: it has neither the plug-in's nor Cassandra's classes. */
public final class RemoteFailure
{
    private static final Logger logger = LoggerFactory.getLogger(RemoteFailure.class);

    private RemoteFailure()
    {
    }

    public static void guard(String what, Runnable work)
    {
        guard(what, () ->
        {
            work.run();
            return null;
        });
    }

    /** @param what names the work for the message */
    public static <T> T guard(String what, Supplier<T> work)
    {
        try
        {
            return work.get();
        }
        catch (Exception | Error e)
        {
            logger.error("Failed {}", what, e);
            throw new IllegalStateException(what + " failed: " + message(e));
        }
    }

    private static String message(Throwable failure)
    {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
