/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

/** Whether the native transport is about to stop, which it says before its servers do. Thread-safe. */
public final class TransportState
{
    private static volatile boolean stopping;

    private TransportState()
    {
    }

    static boolean isStopping()
    {
        return stopping;
    }

    /** Of the native transport, before it stops and after it has started. */
    public static void setStopping(boolean isStopping)
    {
        stopping = isStopping;
    }
}
