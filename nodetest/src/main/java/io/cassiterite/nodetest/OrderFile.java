/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** A file of words by which a test orders something inside a node, which answers there. It is replaced as a whole. */
final class OrderFile
{
    private static final String HELD = "held";

    private final Path path;

    OrderFile(Path path)
    {
        this.path = path;
    }

    /** @return one empty word where there is no order */
    List<String> words()
    {
        try
        {
            return List.of(Files.readString(path).split(" "));
        }
        catch (NoSuchFileException e)
        {
            return List.of("");
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    void write(String order)
    {
        Path fresh = path.resolveSibling(path.getFileName() + ".new");
        try
        {
            Files.writeString(fresh, order);
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** The node's answer: it holds what was ordered. */
    void hold()
    {
        write(HELD);
    }

    boolean isHeld()
    {
        return words().get(0).equals(HELD);
    }

    @Override
    public String toString()
    {
        return path.toString();
    }
}
