/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Node;

/** Where the tests of tools leave their files. */
final class Folders
{
    private Folders()
    {
    }

    /** @return a folder beside the node's data, new and empty */
    static Path fresh(Node node, String name)
    {
        try
        {
            Path folder = node.base().resolve(name);
            Checkout.delete(folder);
            return Files.createDirectories(folder);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the lines of all CSV files in a folder, in the order of the alphabet */
    static List<String> sortedLines(Path folder)
    {
        try (Stream<Path> files = Files.walk(folder))
        {
            List<String> lines = new ArrayList<>();
            for (Path file : files.filter(path -> path.toString().endsWith(".csv")).toList())
                lines.addAll(Files.readAllLines(file));
            return lines.stream().sorted().toList();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
