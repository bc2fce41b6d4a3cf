/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.cassiterite.node.Direction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** M1: a store and data directories of different times are named with all tables in one start. */
class MissingTablesTest
{
    @Test
    void allAreNamedAndBothCauses()
    {
        Map<String, String> marked = Map.of("1", "shop.a", "2", "shop.b", "3", "shop.c");
        assertNull(MissingTables.refusal("/store", marked, Set.of("1", "2", "3", "4")));
        String refusal = MissingTables.refusal("/store", marked, Set.of("2"));
        assertTrue(refusal.startsWith("the store /store does not know these tables, though it once had them: shop.a (1), shop.c (3). " +
                                      "Either the store is older than the data directories, or the tables were dropped after"), refusal);
        assertTrue(refusal.contains("delete cassiterite.marker"), refusal);
    }

    @Test
    void ofManyTheFirstAreNamedAndTheOthersCounted()
    {
        Map<String, String> marked = new HashMap<>();
        for (int i = 100; i < 300; i++)
            marked.put("id" + i, "shop.t" + i);
        String refusal = MissingTables.refusal("/store", marked, Set.of());
        assertTrue(refusal.contains("shop.t100 (id100)") && refusal.contains("shop.t119 (id119), and 180 more."), refusal);
        assertFalse(refusal.contains("shop.t120"), refusal);
    }

    /** S1: the catalog's last changes are in the log that somebody has given up. */
    @Test
    void theyMatterOnlyWhereTheLogIsWhole()
    {
        assertTrue(MissingTables.matter(Map.of()));
        assertTrue(MissingTables.matter(Map.of("wal_recovery", "strict")));
        assertFalse(MissingTables.matter(Map.of("wal_recovery", "until_damage")));
    }

    @Test
    void onlyTablesOfTheSchemaAndOfThisStoreAreToBeThere()
    {
        StartFacts facts = new StartFacts();
        facts.storeId = "here";
        for (String table : new String[]{ "1", "2", "3" })
            facts.tables.add(new StartFacts.SchemaTable("shop.t" + table, table, "cassiterite"));
        facts.markers.add(new TableMarker("1", "shop.t1", "/store", "here", "x", Direction.IN));
        facts.markers.add(new TableMarker("2", "shop.t2", "/store", "elsewhere", "x", Direction.IN));
        facts.markers.add(new TableMarker("4", "shop.dropped", "/store", "here", "x", Direction.IN));
        assertEquals(Map.of("1", "shop.t1"), facts.marked());
    }
}
