/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a command to its end, bounded in time. */
public final class Command
{
    private static final File DEV_NULL = new File("/dev/null");

    private Command()
    {
    }

    /** @return what it printed, on both outputs */
    public static Output run(List<String> command, Duration bound)
    {
        try
        {
            Path output = Files.createTempFile("cassiterite-command", ".out");
            try
            {
                return run(command, bound, output);
            }
            finally
            {
                Files.delete(output);
            }
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot run " + command, e);
        }
    }

    private static Output run(List<String> command, Duration bound, Path output) throws IOException
    {
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                                                     .redirectOutput(output.toFile())
                                                     .redirectInput(DEV_NULL)
                                                     .start();
        boolean ended = waitFor(process, bound);
        if (!ended)
            process.destroyForcibly();
        String text = Files.readString(output, StandardCharsets.UTF_8);
        if (!ended)
            throw new AssertionError(command + " did not end within " + bound + ": " + text);
        return new Output(process.exitValue(), text);
    }

    static boolean waitFor(Process process, Duration bound)
    {
        try
        {
            return process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
        }
        catch (InterruptedException e)
        {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a process", e);
        }
    }
}
