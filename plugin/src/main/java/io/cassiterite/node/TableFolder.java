/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The folder of a table, by its path alone: {@code KEYSPACE/TABLE-ID}. Immutable. Needs no class of Cassandra. */
public final class TableFolder
{
    private static final Pattern NAME = Pattern.compile("(.+)-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})");

    public final Path path;
    public final String keyspace;
    public final String table;
    /** Hexadecimal, with dashes. */
    public final String id;

    private TableFolder(Path path, Matcher name)
    {
        this.path = path;
        keyspace = path.getParent().getFileName().toString();
        table = name.group(1);
        id = name.replaceFirst("$2-$3-$4-$5-$6");
    }

    /** @return null if the folder is called otherwise */
    public static TableFolder of(Path path)
    {
        Path keyspace = path.getParent();
        if (keyspace == null || keyspace.getFileName() == null)
            return null;
        Matcher name = NAME.matcher(path.getFileName().toString());
        return name.matches() ? new TableFolder(path, name) : null;
    }

    /** @return the nearest one that has the path, or is it; null if there is none */
    public static TableFolder around(Path path)
    {
        for (Path folder = path; folder != null && folder.getFileName() != null; folder = folder.getParent())
        {
            TableFolder found = of(folder);
            if (found != null)
                return found;
        }
        return null;
    }
}
