/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names in the engine's part of a snapshot (docs/internals/formats.md, Snapshots). Needs no class of Cassandra. */
public final class SnapshotFiles
{
    /** The engine's folder. The dot makes it look like that of an index, which tools that flatten folders keep. */
    public static final String FOLDER = ".cassiterite";

    /** Also those of before the dot, and of a TRUNCATE that had to save several generations. */
    private static final Pattern FOLDERS = Pattern.compile("\\.?cassiterite(-[0-9]+)?");

    private static final String MANIFEST_END = "cassiterite.manifest";
    private static final Pattern MANIFEST_BY_CONTENT = Pattern.compile("[0-9a-f]{32}-" + Pattern.quote(MANIFEST_END));
    private static final String FILE_END = ".sst";
    private static final Pattern FILE = Pattern.compile("(?:.*-)?([0-9]+)\\.sst");

    private SnapshotFiles()
    {
    }

    /** @return whether a snapshot may have the engine's files in a folder of this name */
    public static boolean isFolder(String name)
    {
        return FOLDERS.matcher(name).matches();
    }

    public static boolean isManifest(String name)
    {
        return name.endsWith(MANIFEST_END);
    }

    /** @return whether it is the name of a manifest that no other manifest has */
    public static boolean isManifestByContent(String name)
    {
        return MANIFEST_BY_CONTENT.matcher(name).matches();
    }

    /** @return whether it is a name of one of the engine's files; Cassandra's end otherwise */
    public static boolean isFile(String name)
    {
        return name.endsWith(FILE_END) || isManifest(name);
    }

    /** @return what the store calls the file, if it still has it; null if a store never has a file that is called so */
    public static String nameInStore(String name)
    {
        Matcher matcher = FILE.matcher(name);
        return matcher.matches() ? matcher.group(1) + FILE_END : null;
    }
}
