/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file system in memory, of a size that can change while it is in use. Needs root; not thread-safe. */
public final class SmallDisk implements AutoCloseable
{
    private static final Logger logger = LoggerFactory.getLogger(SmallDisk.class);

    private static final long BOUND_SECONDS = 60;
    private static final int ATTEMPTS = 100;

    private final Path path;

    private SmallDisk(Path path)
    {
        this.path = path;
    }

    /** Mounts one; the calling test is skipped, with a logged reason, if that is not possible. */
    public static SmallDisk mount(Path path, long mebibytes)
    {
        try
        {
            Files.createDirectories(path);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        unmount(path);
        String trouble = run("mount", "-t", "tmpfs", "-o", size(mebibytes), "tmpfs", path.toString());
        if (trouble != null)
        {
            String why = "disk: SKIPPED, a tmpfs cannot be mounted here (needs root): " + trouble;
            logger.warn(why);
            Assumptions.abort(why);
        }
        return new SmallDisk(path);
    }

    public Path path()
    {
        return path;
    }

    public void resize(long mebibytes)
    {
        String trouble = remount(mebibytes);
        if (trouble != null)
            throw new IllegalStateException(trouble);
    }

    /** Makes it so small that only so much is left. Tried again where what is on it has grown meanwhile: nothing may be cut off. */
    public void leave(long mebibytes)
    {
        String trouble = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++)
        {
            trouble = remount(usedMebibytes() + mebibytes);
            if (trouble == null)
                return;
        }
        throw new IllegalStateException(trouble);
    }

    private String remount(long mebibytes)
    {
        return run("mount", "-o", "remount," + size(mebibytes), path.toString());
    }

    public long usedMebibytes()
    {
        long total = path.toFile().getTotalSpace();
        return (total - path.toFile().getUsableSpace() >> 20) + 1;
    }

    @Override
    public void close()
    {
        unmount(path);
    }

    /** Does nothing if nothing is mounted there. */
    public static void unmount(Path path)
    {
        // fails if nothing is mounted; a mount in use is detached when its last user closes it
        run("umount", "--lazy", path.toString());
    }

    private static String size(long mebibytes)
    {
        return "size=" + mebibytes + "m";
    }

    /** @return the output of the command if it failed, else null */
    private static String run(String... command)
    {
        try
        {
            Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes());
            if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
                return String.join(" ", command) + " does not end";
            }
            return process.exitValue() == 0 ? null : output.isBlank() ? "exit " + process.exitValue() : output.strip();
        }
        catch (IOException e)
        {
            return e.getMessage();
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
