/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder that is deleted with its contents when its last user has released it. Thread-safe. */
final class ScratchFolder
{
    private static final Logger logger = LoggerFactory.getLogger(ScratchFolder.class);

    private static final int TRIES = 3;

    final Path path;
    private final AtomicInteger users = new AtomicInteger(1);

    /** The creator is the first user. The folder need not exist yet; its parent is created. */
    ScratchFolder(Path path)
    {
        this.path = path;
        try
        {
            Files.createDirectories(path.getParent());
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds users; only a user may call it. */
    void retain(int more)
    {
        users.addAndGet(more);
    }

    void release()
    {
        if (users.decrementAndGet() == 0)
            delete(path);
    }

    /** Deletes a folder as far as possible; what cannot be deleted is logged, and deleted when the node starts again. */
    static void delete(Path folder)
    {
        try
        {
            for (int tries = TRIES; Files.exists(folder) && tries > 0; tries--)
                deleteOnce(folder, tries == 1);
        }
        catch (IOException | UncheckedIOException e)
        {
            logger.warn("{} cannot be deleted and takes space until the node starts again", folder, e);
        }
    }

    /** Another thread may still write a file into the folder, or also delete it. */
    private static void deleteOnce(Path folder, boolean isLast) throws IOException
    {
        try (Stream<Path> contents = Files.walk(folder))
        {
            for (Path path : (Iterable<Path>) contents.sorted(Comparator.reverseOrder())::iterator)
                Files.deleteIfExists(path);
        }
        catch (NoSuchFileException | DirectoryNotEmptyException e)
        {
            if (isLast)
                throw e;
        }
    }
}
