/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.nio.file.Path;

/** Tells an operator how to load {@link UnreadFiles}: commands for a shell, each on a line of its own. */
final class UnreadFilesRefusal
{
    /** Beside the data directory, so that the files can be moved without being copied. */
    private static final String RESTORED = "cassiterite-restored";

    private UnreadFilesRefusal()
    {
    }

    /** @param loadCommand {@link StartFacts#loadCommand} */
    static String of(UnreadFiles files, String loadCommand)
    {
        Path restored = files.dataDirectory.resolveSibling(RESTORED).resolve(files.keyspace()).resolve(files.folder.getFileName());
        StringBuilder moves = new StringBuilder(line("mkdir -p " + quoted(restored)));
        StringBuilder loads = new StringBuilder();
        for (UnreadFiles.Place place : files.places)
        {
            boolean isWhole = !place.folder.equals(files.folder);
            Path target = isWhole ? restored.resolve(place.folder.getFileName()) : restored;
            moves.append(line(isWhole ? "mv " + quoted(place.folder) + ' ' + quoted(restored)
                                      : "find " + quoted(place.folder) + " -maxdepth 1 -type f \\( -name '*.sst' -o "
                                        + "-name '*cassiterite.manifest' \\) -exec mv -t " + quoted(restored) + " {} +"));
            if (place.hasManifest)
                loads.append(line(loadCommand + ' ' + files.keyspace() + ' ' + files.table() + ' ' + quoted(target)));
        }
        return String.format("the folder %s of table %s.%s has files of a snapshot of the engine, which nothing reads there. A restore " +
                             "or a copy has put them there, and without their rows the table may lack what was backed up. Before the " +
                             "start, move them out of the data directory:%s%n%s%s",
                             files.folder, files.keyspace(), files.table(), moves,
                             loads.length() == 0 ? "They have no manifest, so they cannot be loaded: restore them whole, elsewhere."
                                                 : "When the node has started, load them:" + loads,
                             "\n\"Files that a restore has put beside the tables\" in docs/operating/backup.md has more.");
    }

    private static String line(String command)
    {
        return "\n    " + command;
    }

    private static String quoted(Path path)
    {
        return '\'' + path.toString().replace("'", "'\\''") + '\'';
    }
}
