/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Runs what may wait for a node beside other such things. Thread-safe. */
final class AtOnce
{
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "oracle");
        thread.setDaemon(true);
        return thread;
    });

    private AtOnce()
    {
    }

    /** @return gives the result, or throws what {@code task} has thrown */
    static <T> Supplier<T> start(Supplier<T> task)
    {
        Future<T> result = THREADS.submit(task::get);
        return () -> await(result);
    }

    private static <T> T await(Future<T> result)
    {
        try
        {
            return result.get();
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        catch (ExecutionException e)
        {
            if (e.getCause() instanceof RuntimeException)
                throw (RuntimeException) e.getCause();
            throw new IllegalStateException(e.getCause());
        }
    }
}
