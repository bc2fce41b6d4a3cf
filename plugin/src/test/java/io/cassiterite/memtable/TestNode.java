/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.commitlog.CommitLog;

/** The parts of a Cassandra server, in this JVM, that memtables and counters need. */
public final class TestNode
{
    private static Path directory;

    private TestNode()
    {
    }

    /** Initializes once; returns a directory of this JVM's own. */
    public static Path initialize()
    {
        return initializeWith();
    }

    /** @param more lines of cassandra.yaml; such a JVM is not shared */
    public static synchronized Path initializeWith(String... more)
    {
        if (directory != null)
            return directory;
        try
        {
            directory = Files.createDirectories(Path.of("target", "test-node", Long.toString(ProcessHandle.current().pid())));
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        write(directory.resolve("cassandra.yaml"), more);
        System.setProperty("cassandra.config", directory.resolve("cassandra.yaml").toAbsolutePath().toUri().toString());
        DatabaseDescriptor.daemonInitialization();
        CommitLog.instance.start();
        return directory;
    }

    private static void write(Path yaml, String[] more)
    {
        String lines = String.join("\n",
            "cluster_name: test",
            "partitioner: org.apache.cassandra.dht.Murmur3Partitioner",
            "endpoint_snitch: SimpleSnitch",
            "listen_address: 127.0.0.1",
            "rpc_address: 127.0.0.1",
            "commitlog_sync: periodic",
            "commitlog_sync_period: 10s",
            "memtable_allocation_type: heap_buffers",
            "seed_provider: [{class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [{seeds: 127.0.0.1}]}]",
            "data_file_directories: [" + path("data") + ']',
            "commitlog_directory: " + path("commitlog"),
            "saved_caches_directory: " + path("saved_caches"),
            "hints_directory: " + path("hints"),
            "cdc_raw_directory: " + path("cdc"),
            String.join("\n", more),
            "");
        try
        {
            Files.writeString(yaml, lines);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static String path(String name)
    {
        return directory.resolve(name).toAbsolutePath().toString();
    }
}
