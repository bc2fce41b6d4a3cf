/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where things are in this checkout. */
public final class Checkout
{
    private static final Path ROOT = find();

    private Checkout()
    {
    }

    /** @return the folder that holds the Makefile */
    public static Path root()
    {
        return ROOT;
    }

    /** @return the folder that holds one folder per test node: build/nodes, or what the environment's CASSITERITE_NODES names */
    public static Path nodes()
    {
        String named = System.getenv("CASSITERITE_NODES");
        return named == null ? ROOT.resolve("build/nodes") : Path.of(named);
    }

    /** @return the command {@code cassiterite}: what the environment's CASSITERITE_LAB names, or what {@code make node} built */
    public static Path lab()
    {
        String named = System.getenv("CASSITERITE_LAB");
        Path program = named == null ? ROOT.resolve("lab/target/release/cassiterite-node") : Path.of(named);
        if (!Files.isExecutable(program))
            throw new IllegalStateException(program + " is missing: run 'make node'");
        return program;
    }

    /** @return the plug-in's jar */
    static Path jar()
    {
        try
        {
            return ROOT.resolve("plugin/target/cassiterite-5.0-" + Files.readString(ROOT.resolve("VERSION")).trim() + ".jar");
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes a folder and those above it; quiet when it is there. */
    static void create(Path folder)
    {
        try
        {
            Files.createDirectories(folder);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot make " + folder, e);
        }
    }

    /** Deletes a folder and all that is in it; quiet when there is none. */
    public static void delete(Path folder)
    {
        if (!Files.exists(folder))
            return;
        try (Stream<Path> tree = Files.walk(folder))
        {
            List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
            for (Path path : deepestFirst)
                Files.delete(path);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }

    private static Path find()
    {
        String property = System.getProperty("cassiterite.root");
        Path folder = Path.of(property == null ? "" : property).toAbsolutePath().normalize();
        while (folder != null && !Files.exists(folder.resolve("scripts/node")))
            folder = folder.getParent();
        if (folder == null)
            throw new IllegalStateException("no checkout above " + Path.of("").toAbsolutePath()
                                            + ": start there or set -Dcassiterite.root");
        return folder;
    }
}
