/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.List;
import java.util.concurrent.TimeUnit;

import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What engine tables do not support is refused at once, with the reason, and leaves nothing behind. */
@NodeTest
class SchemaRefusalTest
{
    private final Cql cql;

    SchemaRefusalTest(Cql cql)
    {
        this.cql = cql;
    }

    @BeforeAll
    static void tables(Cql cql)
    {
        cql.run("CREATE TABLE e (k int PRIMARY KEY, v text, near vector<float, 2>) WITH memtable = 'cassiterite'");
        cql.run("CREATE TABLE s (k int PRIMARY KEY, v text)");
    }

    @ParameterizedTest
    @ValueSource(strings = { "CREATE INDEX ON e (v) USING 'sai' WITH OPTIONS = {'similarity_function': 'cosine'}",
                             "CREATE INDEX ON e (near) USING 'sai'", "CREATE INDEX ON e (near)",
                             "CREATE CUSTOM INDEX ON e (near) USING 'StorageAttachedIndex'",
                             "CREATE CUSTOM INDEX ON e (v) USING 'org.apache.cassandra.index.sasi.SASIIndex'" })
    void indexesOfOtherKindsAreRefused(String statement)
    {
        assertRefused(statement, "Cassiterite table");
        assertEquals(List.of(), cql.texts("SELECT * FROM system_schema.indexes WHERE keyspace_name = 'schemarefusaltest' " +
                                          "AND table_name = 'e'"));
    }

    @Test
    void materializedViewsAreRefused()
    {
        String select = " AS SELECT * FROM %s WHERE k IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, k)";
        assertRefused("CREATE MATERIALIZED VIEW w" + String.format(select, "e"), "materialized views");
        assertRefused("CREATE MATERIALIZED VIEW w" + String.format(select, "s") + " WITH memtable = 'cassiterite'", "Materialized view");
    }

    /** Cassandra's refusal asks for an index that an engine table cannot have. */
    @ParameterizedTest
    @ValueSource(strings = { "SELECT * FROM e WHERE v LIKE 'a%'", "SELECT * FROM schemarefusaltest.e WHERE v LIKE '%a' ALLOW FILTERING",
                             "SELECT * FROM e WHERE v LIKE ?", "DELETE FROM e WHERE k = 1 AND v LIKE 'a%'" })
    void likeIsRefusedWithWhatToAskInstead(String statement)
    {
        String refusal = refusal(statement);
        assertTrue(refusal.contains("schemarefusaltest.e is a Cassiterite table"), refusal);
        assertTrue(refusal.contains("ask for >= 'a' AND < 'b'"), refusal);
        String stock = refusal(statement.replace("refusaltest.e ", "refusaltest.s ").replace(" e ", " s "));
        assertTrue(stock.endsWith("is not valid."), stock);
    }

    private String refusal(String statement)
    {
        return assertThrows(InvalidQueryException.class, () -> cql.session().prepare(statement)).getMessage();
    }

    @Test
    void changeDataCaptureIsRefused()
    {
        assertRefused("ALTER TABLE e WITH cdc = true", "cdc");
        String create = "CREATE TABLE c (k int PRIMARY KEY) WITH memtable = 'cassiterite' AND cdc = true";
        assertRefused(create, "set cdc = false");
        assertThrows(InvalidQueryException.class, () -> cql.run(create));
    }

    @Test
    void memtableOfAnExistingTableCannotChange()
    {
        assertRefused("ALTER TABLE e WITH memtable = 'trie'", "cannot change from Cassiterite");
        assertRefused("ALTER TABLE s WITH memtable = 'cassiterite'", "cannot change to Cassiterite");
    }

    @Test
    void aColumnIsDroppedWithAllItsCells()
    {
        cql.run("CREATE TABLE d (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        cql.run("ALTER TABLE d DROP v USING TIMESTAMP 1");
        cql.run("ALTER TABLE d ADD v text");
        cql.run("INSERT INTO d (k, v) VALUES (1, 'one')");
        assertRefused("ALTER TABLE d DROP v USING TIMESTAMP 1000", "column v is dropped as of an earlier time");
        assertEquals(List.of("v='one'"), cql.texts("SELECT v FROM d"));
        cql.run("ALTER TABLE d DROP v");
    }

    @Test
    void aDropIsLaterThanTheOneBeforeIt()
    {
        long inAnHourMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(1);
        cql.run("CREATE TABLE twice (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO twice (k, v) VALUES (1, 'one')");
        cql.run("ALTER TABLE twice DROP v USING TIMESTAMP " + inAnHourMicros);
        cql.run("ALTER TABLE twice ADD v text");
        assertRefused("ALTER TABLE twice DROP v", "column v was dropped before as of a later time");
    }

    @Test
    void compactionThatDoesNotPurgeIsRefused()
    {
        String compaction = " compaction = {'class': 'UnifiedCompactionStrategy', 'only_purge_repaired_tombstones': 'true'}";
        assertRefused("ALTER TABLE e WITH" + compaction, "only_purge_repaired_tombstones");
        assertRefused("CREATE TABLE c (k int PRIMARY KEY) WITH memtable = 'cassiterite' AND" + compaction, "Leave it out");
    }

    @Test
    void compactStorageIsRefused()
    {
        assertRefused("CREATE TABLE c (k int PRIMARY KEY, v int) WITH COMPACT STORAGE AND memtable = 'cassiterite'", "COMPACT STORAGE");
    }

    @Test
    void otherChangesAreAccepted()
    {
        cql.run("ALTER TABLE e WITH comment = 'fine' AND gc_grace_seconds = 100");
        cql.run("ALTER TABLE s WITH memtable = 'trie'");
        cql.run("CREATE INDEX IF NOT EXISTS si ON s (v)");
    }

    @Test
    void cassandrasOwnErrorsStayAsTheyAre()
    {
        assertRefused("ALTER TABLE absent WITH comment = 'x'", "doesn't exist");
        assertRefused("CREATE TABLE c (k int PRIMARY KEY) WITH memtable = 'absent'", "Memtable configuration \"absent\" not found");
    }

    private void assertRefused(String statement, String reason)
    {
        String refusal = cql.refusal(statement);
        assertTrue(refusal.contains(reason), refusal);
    }
}
