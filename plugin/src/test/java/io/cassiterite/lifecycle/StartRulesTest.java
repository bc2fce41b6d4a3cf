/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.node.Direction;
import io.cassiterite.schema.EngineQueryHandler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D4: a node that would open an engine table without its engine does not start. */
class StartRulesTest
{
    private static final String ENGINE = "io.cassiterite.memtable.CassiteriteMemtable";
    private static final String ID = "5bc52802-de25-35ed-aeab-188eecebb090";
    private static final String STORE = "/var/lib/cassandra/cassiterite";
    private static final String STORE_ID = "6f5d0d34-0000-4000-8000-000000000001";

    private final StartFacts facts = new StartFacts();

    @BeforeEach
    void aNodeThatMayStart()
    {
        facts.cassandraVersion = "5.0.9";
        facts.partitioner = "Murmur3Partitioner";
        facts.queryHandler = EngineQueryHandler.class.getName();
        facts.memtableClasses.put("default", "TrieMemtable");
        facts.memtableClasses.put("cassiterite", ENGINE);
        facts.tables.add(new StartFacts.SchemaTable("shop.orders", ID, "cassiterite"));
        facts.tables.add(new StartFacts.SchemaTable("shop.notes", "11111111-de25-35ed-aeab-188eecebb090", null));
        facts.storeDirectory = STORE;
        facts.storeId = STORE_ID;
        facts.markers.add(marker(ID, STORE_ID));
    }

    @Test
    void completeNodeStarts()
    {
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void nodeWithoutEngineTablesNeedsNoHandler()
    {
        facts.tables.remove(0);
        facts.markers.clear();
        facts.queryHandler = null;
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void missingPrivateMembersAreNamedAlsoWithoutTables()
    {
        facts.tables.clear();
        facts.markers.clear();
        facts.missingMembers.add("ColumnFamilyStore.streamManager of type X");
        assertRefused("that version 5.0.9 does not have: ColumnFamilyStore.streamManager of type X.");
    }

    @Test
    void archivedCommitLogIsRefusedWhereThereIsATable()
    {
        facts.archiving = "archive_command";
        assertRefused("shop.orders is a Cassiterite table, whose writes are not in the commit log, but commitlog_archiving.properties");
        facts.tables.remove(0);
        facts.markers.clear();
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void aKeyThatWritesTheCommitLogMayBeArchivedAndCaptured()
    {
        facts.archiving = "archive_command";
        facts.tables.get(0).cdc = true;
        assertRefused("keeps its writes out of the commit log, which CDC reads. Add commit_log: true");
        facts.inCommitLog.add("cassiterite");
        assertEquals(List.of(), StartRules.refusals(facts));
        facts.memtableClasses.put("silent", ENGINE);
        facts.tables.add(new StartFacts.SchemaTable("shop.silent", "22222222-de25-35ed-aeab-188eecebb090", "silent"));
        assertRefused("shop.silent is a Cassiterite table, whose writes are not in the commit log");
    }

    @Test
    void anArchiveThatEachStartWouldReplayIsRefusedWhereThereIsATable()
    {
        facts.ambiguousRestore = "each start would replay the archive";
        assertEquals(List.of(), StartRules.refusals(facts), "the archive has none of it");
        facts.inCommitLog.add("cassiterite");
        assertRefused("each start would replay the archive");
        facts.tables.remove(0);
        facts.markers.clear();
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void wrongParametersAreRefusedBeforeAnyTableUsesThem()
    {
        facts.tables.remove(0);
        facts.markers.clear();
        facts.parametersError = "the memtable configuration 'cassiterite': unknown option 'block_cash_size'";
        assertRefused("unknown option 'block_cash_size'");
    }

    @Test
    void missingConfigurationIsRefused()
    {
        facts.memtableClasses.remove("cassiterite");
        assertRefused("shop.orders uses the memtable configuration 'cassiterite', which cassandra.yaml");
    }

    @Test
    void configurationMappedToAnotherClassIsRefused()
    {
        facts.memtableClasses.put("cassiterite", "SkipListMemtable");
        assertRefused("'cassiterite' now maps to SkipListMemtable");
    }

    @Test
    void tableAlteredToDefaultElsewhereIsRefused()
    {
        facts.tables.set(0, new StartFacts.SchemaTable("shop.orders", ID, null));
        assertRefused("'default' now maps to TrieMemtable");
    }

    @Test
    void aTableWithoutMarkerEntersUnlessItHasWhatTheEngineLacks()
    {
        facts.markers.clear();
        assertEquals(List.of(), StartRules.refusals(facts));
        facts.tables.get(0).obstacles.addAll(List.of("the index by_day", "cdc = true"));
        assertRefused("shop.orders would enter the engine with this start, for its memtable configuration 'cassiterite' maps to"
                      + " Cassiterite, which does not support what it has: the index by_day, cdc = true. Map 'cassiterite' to a stock"
                      + " class again");
    }

    @Test
    void whatAnEngineTableHasGotFromANodeWithoutThePlugInIsNoReason()
    {
        facts.tables.get(0).obstacles.add("the index by_day");
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void eachMarkerOfATableIsLookedAtAndSaysItOnce()
    {
        facts.markers.add(marker(ID, "another store"));
        facts.markers.add(marker(ID, "another store"));
        assertRefused("are in the Cassiterite store " + STORE + " with id another store, but the configured directory");
        assertEquals(1, StartRules.refusals(facts).size());
    }

    @Test
    void whatAStockTableHasIsNoReason()
    {
        facts.tables.get(1).obstacles.add("the index by_day");
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void keysOfTheEngineAreKnown()
    {
        assertEquals(Set.of("cassiterite"), facts.engineKeys());
    }

    @Test
    void markerOfDroppedTableIsIgnored()
    {
        facts.markers.add(marker("99999999-de25-35ed-aeab-188eecebb090", "another store"));
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void missingStoreIsRefused()
    {
        facts.storeId = null;
        assertRefused("holds no store");
    }

    @Test
    void anotherStoreIsRefused()
    {
        facts.storeId = "another";
        assertRefused("holds the store another");
    }

    @Test
    void movedStoreIsAccepted()
    {
        facts.storeDirectory = "/mnt/nvme/cassiterite";
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void missingQueryHandlerIsRefused()
    {
        facts.queryHandler = null;
        assertRefused("-Dcassandra.custom_query_handler_class=io.cassiterite.schema.EngineQueryHandler is not set");
    }

    @Test
    void missingLibraryIsRefused()
    {
        facts.libraryError = "java.lang.UnsatisfiedLinkError: no cassiterite for aarch64";
        assertRefused("native library cannot be loaded: java.lang.UnsatisfiedLinkError: no cassiterite for aarch64");
    }

    @Test
    void otherCassandraVersionIsRefused()
    {
        facts.cassandraVersion = "5.1.0";
        assertRefused("the node runs 5.1.0");
    }

    @Test
    void engineAsDefaultConfigurationIsRefused()
    {
        facts.memtableClasses.put("default", ENGINE);
        assertRefused("Cassandra's own tables");
    }

    @Test
    void defaultMemtablePropertyMustNameTheEngine()
    {
        facts.defaultMemtable = "cassiterit";
        assertRefused("-Dcassiterite.default_memtable=cassiterit does not name");
        facts.defaultMemtable = "cassiterite";
        assertEquals(List.of(), StartRules.refusals(facts));
    }

    @Test
    void otherPartitionerIsRefused()
    {
        facts.partitioner = "RandomPartitioner";
        assertRefused("needs Murmur3Partitioner");
    }

    private void assertRefused(String reason)
    {
        List<String> refusals = StartRules.refusals(facts);
        assertTrue(refusals.stream().anyMatch(refusal -> refusal.contains(reason)), refusals::toString);
    }

    private static TableMarker marker(String tableId, String storeId)
    {
        return new TableMarker(tableId, "shop.orders", STORE, storeId, "cassiterite/1.2.3 rocksdb/11.8.1", Direction.IN);
    }
}
