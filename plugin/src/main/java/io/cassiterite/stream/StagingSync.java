/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.cassandra.concurrent.NamedThreadFactory;

/** Syncs received files to the device while the next ones are received. */
final class StagingSync
{
    /** More threads would only queue at the device. */
    private static final int THREADS = 2;

    private static final ThreadPoolExecutor EXECUTOR = executor();

    private StagingSync()
    {
    }

    private static ThreadPoolExecutor executor()
    {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                                                             new NamedThreadFactory("cassiterite-stream-sync"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** @return a future that fails with an IOException if the device does */
    static Future<?> submit(Path file)
    {
        return EXECUTOR.submit(() -> {
            sync(file);
            return null;
        });
    }

    private static void sync(Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }
}
