/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;

class StoreIdentityTest
{
    private static final int THREADS = 4;
    private static final int STORES = 50;

    @TempDir
    private Path folder;

    @Test
    void allWhoAskAtOnceGetTheSame() throws Exception
    {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try
        {
            for (int store = 0; store < STORES; store++)
            {
                Path directory = Files.createDirectory(folder.resolve(Integer.toString(store)));
                CyclicBarrier begin = new CyclicBarrier(THREADS);
                Set<String> ids = new HashSet<>();
                for (Future<String> id : threads.invokeAll(List.of(asker(directory, begin), asker(directory, begin),
                                                                   asker(directory, begin), asker(directory, begin))))
                    ids.add(id.get());
                assertEquals(Set.of(StoreIdentity.read(directory)), ids);
            }
        }
        finally
        {
            threads.shutdownNow();
        }
    }

    private static Callable<String> asker(Path directory, CyclicBarrier begin)
    {
        return () -> {
            begin.await();
            return StoreIdentity.readOrCreate(directory);
        };
    }
}
