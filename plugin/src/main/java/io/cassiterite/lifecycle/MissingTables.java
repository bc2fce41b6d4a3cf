/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Tables of which a marker tells that the store has them, and which the store does not know: one of them is of another time. */
final class MissingTables
{
    private static final int NAMED_MAX = 20;

    private static final String WAL_RECOVERY = "wal_recovery";
    private static final String UNTIL_DAMAGE = "until_damage";

    private MissingTables()
    {
    }

    /** @return false where somebody has given up the rest of the log, which may have had the only trace of new tables */
    static boolean matter(Map<String, String> parameters)
    {
        return !UNTIL_DAMAGE.equals(parameters.get(WAL_RECOVERY));
    }

    /**
     * @param marked names by id of the tables that are to be there
     * @param found  ids of those that the store has
     * @return why the node must not start, or null if it may
     */
    static String refusal(String storeDirectory, Map<String, String> marked, Set<String> found)
    {
        List<String> missing = marked.entrySet().stream().filter(table -> !found.contains(table.getKey()))
                                     .map(table -> table.getValue() + " (" + table.getKey() + ')').sorted().collect(Collectors.toList());
        if (missing.isEmpty())
            return null;
        int more = Math.max(0, missing.size() - NAMED_MAX);
        return String.format("the store %s does not know these tables, though it once had them: %s%s. Either the store is older than the " +
                             "data directories, or the tables were dropped after the data directories were copied. Restore both of one " +
                             "time. To give up the rows, delete %s in the folders of these tables",
                             storeDirectory, String.join(", ", missing.subList(0, missing.size() - more)),
                             more == 0 ? "" : ", and " + more + " more", TableMarker.FILE_NAME);
    }
}
