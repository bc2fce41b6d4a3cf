/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.cassiterite.engine.SnapshotFiles;

/**
 * Files of the engine's snapshots in the data folder of a table, where nothing reads them. A restore or a copy has put
 * them there. A node that started with them would lack their rows, and say nothing.
 */
public final class UnreadFiles
{
    private static final Set<String> NOT_DATA = Set.of("snapshots", "backups");
    /** Names of Cassandra's files; other names may be folders. */
    private static final Pattern SSTABLE_COMPONENT = Pattern.compile(".+\\.(db|txt|crc32|log|sha1|adler32)");
    /** A folder with it is a database: a store that is configured to be inside of a data directory. */
    private static final String DATABASE_MARK = "CURRENT";
    private static final int DEPTH_MAX = 3;

    /** The table's. */
    public final Path folder;
    /** The folder itself, and folders in it, that have such files. */
    public final List<Place> places = new ArrayList<>();

    /** A folder with such files. */
    public static final class Place
    {
        public final Path folder;
        public final List<String> manifests = new ArrayList<>();

        private Place(Path folder)
        {
            this.folder = folder;
        }
    }

    private UnreadFiles(Path folder)
    {
        this.folder = folder;
    }

    /** @return false where only the depth of the folder is that of a table's */
    public boolean isOfTable()
    {
        return TableFolder.of(folder) != null;
    }

    public String keyspace()
    {
        return folder.getParent().getFileName().toString();
    }

    public String table()
    {
        TableFolder table = TableFolder.of(folder);
        return table == null ? folder.getFileName().toString() : table.table;
    }

    /** @return the hexadecimal id of the table that the folder is of, with dashes; null where it {@link #isOfTable} not */
    public String tableId()
    {
        TableFolder table = TableFolder.of(folder);
        return table == null ? null : table.id;
    }

    /**
     * Lists the folder of each table once.
     *
     * @param store the store's directory, in which such files are at home; or null
     */
    public static List<UnreadFiles> findAll(Path dataDirectory, Path store) throws IOException
    {
        List<UnreadFiles> found = new ArrayList<>();
        if (!Files.isDirectory(dataDirectory))
            return found;
        // either may be reached by a link
        Path realStore = store == null || !Files.exists(store) ? null : store.toRealPath();
        for (Path keyspace : folders(dataDirectory))
            for (Path table : folders(keyspace))
            {
                UnreadFiles files = new UnreadFiles(table);
                if (realStore == null || !table.toRealPath().startsWith(realStore))
                    files.search(table, 1);
                if (!files.places.isEmpty())
                    found.add(files);
            }
        return found;
    }

    /** @return whether files in this folder would keep a node with this data directory from its next start */
    public static boolean isUnread(Path folder, Path dataDirectory)
    {
        if (!folder.startsWith(dataDirectory))
            return false;
        Path inside = dataDirectory.relativize(folder);
        boolean isOfTable = inside.getNameCount() >= 2 && !inside.toString().isEmpty();
        return isOfTable && (inside.getNameCount() == 2 || !NOT_DATA.contains(inside.getName(2).toString()));
    }

    private void search(Path folder, int depth) throws IOException
    {
        Place place = new Place(folder);
        boolean hasFiles = false;
        Set<Path> others = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder))
        {
            for (Path entry : entries)
            {
                String name = entry.getFileName().toString();
                if (name.equals(DATABASE_MARK))
                    return;
                if (SnapshotFiles.isManifest(name))
                    place.manifests.add(name);
                hasFiles |= SnapshotFiles.isFile(name);
                if (!SnapshotFiles.isFile(name) && !SSTABLE_COMPONENT.matcher(name).matches() && !(depth == 1 && NOT_DATA.contains(name)))
                    others.add(entry);
            }
        }
        Collections.sort(place.manifests);
        if (hasFiles)
            places.add(place);
        for (Path other : others)
            if (depth < DEPTH_MAX && Files.isDirectory(other))
                search(other, depth + 1);
    }

    private static List<Path> folders(Path parent) throws IOException
    {
        List<Path> folders = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(parent, Files::isDirectory))
        {
            children.forEach(folders::add);
        }
        return folders;
    }
}
