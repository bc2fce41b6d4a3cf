/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.io.FSReadError;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.utils.JVMStabilityInspector;

/**
 * Turns the engine's failures into those that Cassandra knows, so that its disk failure policy decides about a broken
 * device or a corrupt file. Other kinds pass unchanged.
 */
public final class Failures
{
    private Failures()
    {
    }

    /**
     * @return what to throw
     * @throws FSReadError for failures of the device
     */
    public static RuntimeException onRead(EngineException failure, Table table)
    {
        return onRead(failure, table.store().directory());
    }

    public static RuntimeException onRead(EngineException failure, String path)
    {
        switch (failure.kind())
        {
            case IO:
            case NO_SPACE:
                throw new FSReadError(failure, path);
            case CORRUPTION:
                return new CorruptSSTableException(failure, path);
            default:
                return failure;
        }
    }

    /**
     * @return what to throw
     * @throws FSWriteError for failures of the device
     */
    public static RuntimeException onWrite(EngineException failure, Table table)
    {
        return onWrite(failure, table.store().directory());
    }

    public static RuntimeException onWrite(EngineException failure, String path)
    {
        switch (failure.kind())
        {
            case IO:
            case NO_SPACE:
                throw new FSWriteError(failure, path);
            case CORRUPTION:
                return new CorruptSSTableException(failure, path);
            default:
                return failure;
        }
    }

    /** Whether {@link #onRead} or {@link #onWrite} made this because the device is full. */
    public static boolean isNoSpace(Throwable failure)
    {
        Throwable cause = failure.getCause();
        return cause instanceof EngineException && ((EngineException) cause).kind() == EngineException.Kind.NO_SPACE;
    }

    /**
     * Hands a failed mutation to the disk failure policy. After an exception of a local mutation a coordinator answers
     * its client at once, without asking the policy. After an Error the client waits for its timeout.
     *
     * @param failure what {@link #onWrite} gave
     * @return what to throw
     */
    public static RuntimeException ofMutation(Throwable failure, Table table)
    {
        toPolicy(failure);
        return new RuntimeException("writing to " + table.name() + " failed: " + failure, failure);
    }

    /**
     * Lets the disk failure policy decide about the node, on another thread: stopping the native transport waits for the
     * requests that run, the caller's among them.
     */
    public static void toPolicy(Throwable failure)
    {
        ScheduledExecutors.optionalTasks.execute(() -> JVMStabilityInspector.inspectThrowable(failure));
    }
}
