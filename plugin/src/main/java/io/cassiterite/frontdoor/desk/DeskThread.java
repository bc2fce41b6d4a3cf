/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.cassiterite.engine.BackgroundWork;

/** A thread that repeats a step, which does its own waiting, until it is stopped. */
final class DeskThread
{
    private static final long STOP_WAIT_MS = TimeUnit.SECONDS.toMillis(2);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Thread thread;
    private final String what;
    private final Step step;
    private volatile boolean stopped;

    DeskThread(String name, String what, Step step)
    {
        this.thread = new Thread(this::run, name);
        this.what = what;
        this.step = step;
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    /** Waits for the step that runs, unless that takes long; no other follows. */
    void stop()
    {
        // No interrupt: it would close a file of Cassandra's that the step reads.
        stopped = true;
        try
        {
            if (Thread.currentThread() != thread)
                thread.join(STOP_WAIT_MS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void run()
    {
        while (!stopped)
            if (!BackgroundWork.attempt(what, this::runStep))
                LockSupport.parkNanos(this, PAUSE_NANOS);
    }

    private void runStep()
    {
        try
        {
            step.run();
        }
        catch (InterruptedException e)
        {
            stopped = true;
        }
    }

    /** What the thread repeats. */
    @FunctionalInterface
    interface Step
    {
        void run() throws InterruptedException;
    }
}
