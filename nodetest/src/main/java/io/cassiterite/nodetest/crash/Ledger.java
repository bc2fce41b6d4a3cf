/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** A file outside the node that records what was about to be written and what was acknowledged. Thread-safe. */
final class Ledger implements AutoCloseable
{
    private final BufferedWriter out;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong generations = new AtomicLong();

    Ledger(Path file) throws IOException
    {
        Files.createDirectories(file.getParent());
        out = Files.newBufferedWriter(file);
    }

    /** @return a number that no other operation has */
    long nextGeneration()
    {
        return generations.incrementAndGet();
    }

    void intend(String operation)
    {
        write("intend " + operation);
    }

    void acknowledge(String operation)
    {
        acknowledged.incrementAndGet();
        write("acknowledged " + operation);
    }

    void record(String text)
    {
        write(text);
    }

    long acknowledged()
    {
        return acknowledged.get();
    }

    private synchronized void write(String line)
    {
        try
        {
            out.write(line);
            out.newLine();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void close() throws IOException
    {
        out.close();
    }
}
