/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
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

    /** Does {@code work} with each of these beside the others, and returns when all is done. */
    static <T> void each(List<T> of, Consumer<T> work)
    {
        List<Supplier<Object>> running = new ArrayList<>();
        for (T one : of)
            running.add(start(() ->
            {
                work.accept(one);
                return one;
            }));
        RuntimeException first = null;
        for (Supplier<Object> one : running)
        {
            try
            {
                one.get();
            }
            catch (RuntimeException e)
            {
                if (first == null)
                    first = e;
            }
        }
        if (first != null)
            throw first;
    }

    /** @return the result, or throws what the task has thrown */
    static <T> T await(Future<T> result)
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
            // of a stage, the cause of the stage before
            Throwable cause = e.getCause() instanceof CompletionException ? e.getCause().getCause() : e.getCause();
            if (cause instanceof RuntimeException)
                throw (RuntimeException) cause;
            throw new IllegalStateException(cause);
        }
    }
}
