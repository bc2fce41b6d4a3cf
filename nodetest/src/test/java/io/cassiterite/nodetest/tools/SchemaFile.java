/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

/** The definitions of an application's tables, as its package has them. */
final class SchemaFile
{
    private final String text;

    private SchemaFile(String text)
    {
        this.text = text;
    }

    static SchemaFile of(Path file)
    {
        try
        {
            return new SchemaFile(Files.readString(file));
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("run 'make tool-programs'", e);
        }
    }

    static SchemaFile inJar(Path jar, String name)
    {
        try (FileSystem files = FileSystems.newFileSystem(jar))
        {
            return of(files.getPath(name));
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    SchemaFile with(String placeholder, String value)
    {
        return new SchemaFile(text.replace(placeholder, value));
    }

    List<String> statements()
    {
        String bare = text.lines().map(line -> line.replaceFirst("(--|//).*", "")).collect(Collectors.joining("\n"));
        return Arrays.stream(bare.split(";")).map(String::strip).filter(statement -> !statement.isEmpty()).toList();
    }

    void apply(Node node, String keyspace)
    {
        try (Cql cql = node.cql(keyspace))
        {
            statements().forEach(cql::run);
        }
    }
}
