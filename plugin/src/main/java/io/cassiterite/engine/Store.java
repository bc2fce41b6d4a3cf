/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;

import org.apache.cassandra.dht.Token;

/**
 * The node's store: one RocksDB instance with a column family per table. Thread-safe. After {@link #close} every call
 * fails with kind CLOSED.
 */
public final class Store implements AutoCloseable
{
    /** The option that names the store's directory. */
    public static final String DIRECTORY = "directory";

    private final long handle;
    private final String directory;

    private Store(long handle, String directory)
    {
        this.handle = handle;
        this.directory = directory;
    }

    /**
     * Opens or creates a store.
     *
     * @param options names and values as docs/settings.md lists them; {@link #DIRECTORY} is required
     * @throws IllegalArgumentException if an option cannot be written as a line
     */
    public static Store open(Map<String, String> options)
    {
        String directory = options.get(DIRECTORY);
        if (directory == null || directory.isEmpty())
            throw new IllegalArgumentException("a store needs the option '" + DIRECTORY + '\'');
        try
        {
            NativeLibrary.load();
            return new Store(Native.storeOpen(lines(options)), directory);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, directory);
        }
    }

    /**
     * Opens nothing.
     *
     * @throws EngineException with the reason, if {@link #open} would refuse these options whatever is on the device
     */
    public static void check(Map<String, String> options)
    {
        NativeLibrary.load();
        Native.storeCheck(lines(options));
    }

    /** @return "cassiterite/VERSION rocksdb/VERSION" */
    public static String version()
    {
        return Native.version();
    }

    /** Opens or creates the current generation of a table; {@code request} is a {@link TableSchema} request. */
    public Table openTable(byte[] request, String name)
    {
        try
        {
            return new Table(this, Native.tableOpen(handle, request), name);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, directory);
        }
    }

    /** Drops a table with all its generations and indexes; {@code tableId} as {@link TableSchema#identity} gives it. */
    public void dropTable(byte[] tableId)
    {
        try
        {
            Native.tableDrop(handle, tableId);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, directory);
        }
    }

    /** Makes every write that has returned durable on the device. */
    public void sync()
    {
        try
        {
            Native.storeSync(handle);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, directory);
        }
    }

    /** Applies live settings. */
    public void set(Map<String, String> options)
    {
        Native.storeSet(handle, lines(options));
    }

    /**
     * Sets where the ring's ranges end (inclusive): files are cut there from now on. Name only ends where whole files
     * are likely to be sent: of the node's own ranges and of those that it replicates.
     */
    public void ring(Collection<Token> boundaries)
    {
        try
        {
            Native.storeRing(handle, TokenRanges.boundaries(boundaries));
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, directory);
        }
    }

    /** Keeps files with new rows for {@link Table#backUp}, or does so no more. */
    public void keepIncrements(boolean on)
    {
        Native.storeKeepIncrements(handle, on);
    }

    /** @see Native#storeReport */
    public String report(String topic)
    {
        return Native.storeReport(handle, topic);
    }

    /** The background error that stopped writes, as "KIND\tmessage", or null. */
    public String error()
    {
        return Native.storeError(handle);
    }

    /** Asks the engine to accept writes again after a background error. */
    public void resume()
    {
        try
        {
            Native.storeResume(handle);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, directory);
        }
    }

    /** Ends every compaction that runs or waits; automatic ones begin again when there is a thread for them. */
    public void stopCompactions()
    {
        Native.storeStopCompactions(handle);
    }

    public String directory()
    {
        return directory;
    }

    @Override
    public void close()
    {
        try
        {
            Native.storeClose(handle);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, directory);
        }
    }

    private static byte[] lines(Map<String, String> options)
    {
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, String> option : options.entrySet())
        {
            String name = option.getKey();
            String value = option.getValue();
            if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\n') >= 0 || value.indexOf('\n') >= 0)
                throw new IllegalArgumentException("option '" + name + "' cannot be passed to the engine");
            lines.append(name).append('=').append(value).append('\n');
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }
}
