/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.cql3.ColumnIdentifier;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.WhereClause;
import org.apache.cassandra.cql3.functions.Function;
import org.apache.cassandra.cql3.functions.FunctionName;
import org.apache.cassandra.cql3.functions.FunctionResolver;
import org.apache.cassandra.cql3.functions.ScalarFunction;
import org.apache.cassandra.cql3.functions.masking.ColumnMask;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.Indexes;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TriggerMetadata;
import org.apache.cassandra.schema.Triggers;
import org.apache.cassandra.schema.ViewMetadata;
import org.apache.cassandra.schema.Views;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.utils.MD5Digest;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Statements and tables without recipes. */
@OwnJvm
class RecipeRefusalTest
{
    private static TestSchema schema;

    @BeforeAll
    static void create()
    {
        schema = new TestSchema();
        schema.create("CREATE TABLE k.kv (k int PRIMARY KEY, v text, w int, m map<text, int>, f frozen<map<text, int>>)");
        schema.create("CREATE TABLE k.two (a int, b text, c1 int, c2 text, v text, PRIMARY KEY ((a, b), c1, c2))");
        schema.create("CREATE TABLE k.events (k int, at timestamp, v int, PRIMARY KEY (k, at))");
        schema.create("CREATE TABLE k.tuples (k int, c frozen<tuple<int, text>>, v int, PRIMARY KEY (k, c))");
        schema.create("CREATE TABLE k.lists (k frozen<list<int>> PRIMARY KEY, v int)");
        schema.create("CREATE TABLE k.compact (k int PRIMARY KEY, v int) WITH COMPACT STORAGE");
        schema.createStock("CREATE TABLE k.stock (k int PRIMARY KEY, v text)");
    }

    private static void assertRefused(RecipeRefusal reason, String... statements)
    {
        for (String cql : statements)
        {
            Learned learned = schema.learn(cql);
            assertEquals(reason, learned.refusal(), cql);
            assertNull(learned.recipe());
            assertNull(learned.table());
            assertNull(learned.statement());
            assertEquals(cql, learned.query());
        }
    }

    @Test
    void whatIsNoSelectOfAnEngineTable()
    {
        assertRefused(RecipeRefusal.NOT_A_SELECT, "TRUNCATE k.kv", "USE k");
        assertRefused(RecipeRefusal.NOT_IN_ENGINE, "SELECT v FROM k.stock WHERE k = ?", "INSERT INTO k.stock (k, v) VALUES (?, ?)");
        assertRefused(RecipeRefusal.SYSTEM_TABLE, "SELECT * FROM system.local WHERE key = ?");
    }

    @Test
    void whatIsMoreThanOneRowWritten()
    {
        assertRefused(RecipeRefusal.CONDITIONAL, "INSERT INTO k.kv (k, v) VALUES (?, ?) IF NOT EXISTS",
                      "UPDATE k.kv SET v = ? WHERE k = ? IF v = ?", "DELETE FROM k.kv WHERE k = ? IF EXISTS");
        assertRefused(RecipeRefusal.OWN_TIMESTAMP, "UPDATE k.kv USING TIMESTAMP 5 SET v = ? WHERE k = ?",
                      "DELETE v FROM k.kv USING TIMESTAMP ? WHERE k = ?");
        assertRefused(RecipeRefusal.COLLECTION, "UPDATE k.kv SET m['x'] = ? WHERE k = ?", "DELETE m FROM k.kv WHERE k = ?");
        assertRefused(RecipeRefusal.BIND_TYPE, "INSERT INTO k.kv (k, m) VALUES (?, ?)", "UPDATE k.kv SET f = ? WHERE k = ?");
        assertRefused(RecipeRefusal.KEYS, "UPDATE k.kv SET v = ? WHERE k IN (?, ?)");
        assertRefused(RecipeRefusal.SEVERAL_ROWS, "DELETE FROM k.kv WHERE k = ?", "DELETE FROM k.two WHERE a = ? AND b = ?",
                      "DELETE FROM k.two WHERE a = ? AND b = ? AND c1 = ?", "DELETE FROM k.events WHERE k = ? AND at > ?",
                      "UPDATE k.events SET v = ? WHERE k = ? AND at IN (?, ?)");
        assertRefused(RecipeRefusal.FUNCTION, "INSERT INTO k.events (k, at, v) VALUES (?, toTimestamp(now()), ?)");
    }

    @Test
    void selectionsThatAreMoreThanColumns()
    {
        String where = " FROM k.kv WHERE k = ?";
        assertRefused(RecipeRefusal.JSON, "SELECT JSON *" + where);
        assertRefused(RecipeRefusal.DISTINCT, "SELECT DISTINCT k" + where);
        assertRefused(RecipeRefusal.AGGREGATE, "SELECT count(*)" + where, "SELECT max(v)" + where);
        assertRefused(RecipeRefusal.GROUP_BY, "SELECT c1, count(*) FROM k.two WHERE a = ? AND b = ? GROUP BY c1");
        assertRefused(RecipeRefusal.FUNCTION, "SELECT token(k)" + where, "SELECT CAST(k AS text)" + where, "SELECT w + 1" + where);
        assertRefused(RecipeRefusal.COMPUTED, "SELECT ttl(v)" + where, "SELECT writetime(v)" + where, "SELECT m['x']" + where,
                      "SELECT m[?]" + where, "SELECT m['a'..'b']" + where, "SELECT f['x']" + where, "SELECT v AS x" + where,
                      "SELECT v, v" + where, "SELECT (int) 5" + where, "SELECT (k, v)" + where);
    }

    @Test
    void morePartitionsThanOne()
    {
        assertRefused(RecipeRefusal.KEYS, "SELECT v FROM k.kv WHERE k IN (?, ?)", "SELECT v FROM k.kv WHERE k IN ?",
                      "SELECT v FROM k.two WHERE a = ? AND b IN (?, ?)");
        assertRefused(RecipeRefusal.KEY_RANGE, "SELECT * FROM k.kv", "SELECT * FROM k.kv LIMIT ?", "SELECT v FROM k.kv WHERE token(k) > ?",
                      "SELECT v FROM k.kv WHERE token(k) = ?");
    }

    @Test
    void filters()
    {
        assertRefused(RecipeRefusal.ALLOW_FILTERING, "SELECT v FROM k.kv WHERE k = ? AND w = ? ALLOW FILTERING",
                      "SELECT v FROM k.two WHERE a = ? AND b = ? AND c2 = ? ALLOW FILTERING");
    }

    @Test
    void functionsThatGiveValues()
    {
        assertRefused(RecipeRefusal.FUNCTION, "SELECT v FROM k.kv WHERE k = (int) ? + 1", "SELECT v FROM k.kv WHERE k = blobAsInt(?)");
    }

    @Test
    void keysThatTheDoorCannotOrder()
    {
        String tuples = "SELECT v FROM k.tuples WHERE k = ?";
        assertRefused(RecipeRefusal.KEY_TYPE, tuples, tuples + " AND c = (1, 'x')", "SELECT v FROM k.lists WHERE k = [1]");
        assertRefused(RecipeRefusal.BIND_TYPE, tuples + " AND c = ?", "SELECT v FROM k.lists WHERE k = ?",
                      "SELECT v FROM k.two WHERE a = ? AND b = ? AND (c1, c2) = ?",
                      "SELECT v FROM k.two WHERE a = ? AND b = ? AND c1 IN ?");
    }

    @Test
    void valuesThatLeaveNothingToRead()
    {
        assertRefused(RecipeRefusal.NO_READ, "SELECT v FROM k.two WHERE a = ? AND b = ? AND c1 > 5 AND c1 < 5",
                      "SELECT v FROM k.two WHERE a = ? AND b = ? AND c1 IN ()");
    }

    @Test
    void statementsWithValuesThatAreNone()
    {
        assertRefused(RecipeRefusal.ERROR, "SELECT v FROM k.kv WHERE k = ? LIMIT 0", "SELECT v FROM k.kv WHERE k = null");
        assertRefused(RecipeRefusal.UNEXPLAINED, "SELECT v FROM k.two WHERE a = ? AND b = ? AND c1 > null");
    }

    @Test
    void constantsThatAreEmptyButNoText()
    {
        assertRefused(RecipeRefusal.EMPTY_CONSTANT, "SELECT v FROM k.events WHERE k = ? AND at = ''");
        assertNull(schema.learn("SELECT v FROM k.two WHERE a = ? AND b = ? AND c1 = ? AND c2 = ''").refusal());
    }

    @Test
    void idsThatAreNotPrepared()
    {
        assertNull(RecipeLearner.learn(MD5Digest.compute("SELECT v FROM k.kv WHERE k = ?")));
    }

    @Test
    void tablesOfOldForms()
    {
        assertRefused(RecipeRefusal.COMPACT, "SELECT v FROM k.compact WHERE k = ?");
    }

    @Test
    void tablesWithMoreThanRows()
    {
        IndexMetadata index = IndexMetadata.fromSchemaMetadata("i", IndexMetadata.Kind.COMPOSITES, Map.of("target", "v"));
        assertRefused(RecipeRefusal.INDEXED, altered("indexed", table -> table.indexes(Indexes.of(index))));
        Triggers triggers = Triggers.of(TriggerMetadata.create("t", "class"));
        assertRefused(RecipeRefusal.TRIGGERED, altered("triggered", table -> table.triggers(triggers)));
        ColumnMetadata dropped = ColumnMetadata.regularColumn(TestSchema.KEYSPACE, "readded", "v", Int32Type.instance);
        assertRefused(RecipeRefusal.READDED_COLUMN, altered("readded", table -> table.recordColumnDrop(dropped, 5)));
    }

    @Test
    void tablesWithViews()
    {
        TableMetadata table = schema.create("CREATE TABLE k.viewed (k int PRIMARY KEY, v int)");
        TableMetadata rows = TableMetadata.builder(TestSchema.KEYSPACE, "mirror").kind(TableMetadata.Kind.VIEW)
                                          .addPartitionKeyColumn("k", Int32Type.instance).build();
        ViewMetadata view = new ViewMetadata(table.id, table.name, false, WhereClause.empty(), rows);
        schema.change(keyspace -> keyspace.withSwapped(Views.builder().put(view).build()));
        assertRefused(RecipeRefusal.HAS_VIEWS, "SELECT v FROM k.viewed WHERE k = ?");
        assertRefused(RecipeRefusal.VIEW, "SELECT k FROM k.mirror WHERE k = ?");
    }

    @Test
    void tablesWhoseStatementsAreOld()
    {
        QueryHandler.Prepared prepared = prepared("masked");
        Function hide = FunctionResolver.get(TestSchema.KEYSPACE, FunctionName.nativeFunction("mask_default"), List.of(Int32Type.instance),
                                             null, null, null);
        ColumnMask mask = new ColumnMask((ScalarFunction) hide);
        alter(prepared, table -> table.alterColumnMask(identifier("v"), mask));
        assertEquals(RecipeRefusal.MASKED, schema.learn(prepared).refusal());

        prepared = prepared("grown");
        alter(prepared, table -> table.addRegularColumn("w", Int32Type.instance));
        assertEquals(RecipeRefusal.SCHEMA_CHANGE, schema.learn(prepared).refusal());
        assertTrue(schema.learn(prepared).refusal().isTransient());

        prepared = prepared("gone");
        schema.drop("gone");
        assertEquals(RecipeRefusal.NOT_IN_ENGINE, schema.learn(prepared).refusal());
    }

    @Test
    void columnsThatTheEngineHasYetToLearn()
    {
        QueryHandler.Prepared prepared = prepared("ahead");
        assertNull(schema.learn(prepared).refusal());
        schema.engineIsBehind(((SelectStatement) prepared.statement).table);
        assertEquals(RecipeRefusal.SCHEMA_CHANGE, schema.learn(prepared).refusal());
    }

    /** Cassandra keeps such statements prepared. */
    @Test
    void aChangeThatNoStatementDependsOnRefusesNone()
    {
        QueryHandler.Prepared prepared = prepared("commented");
        alter(prepared, table -> table.comment("other"));
        assertNull(schema.learn(prepared).refusal());
    }

    private static ColumnIdentifier identifier(String name)
    {
        return ColumnIdentifier.getInterned(name, true);
    }

    private static QueryHandler.Prepared prepared(String table)
    {
        schema.create("CREATE TABLE k." + table + " (k int PRIMARY KEY, v int)");
        return QueryProcessor.parseAndPrepare(select(table), ClientState.forInternalCalls(), false, false);
    }

    private static String select(String table)
    {
        return "SELECT v FROM k." + table + " WHERE k = ?";
    }

    private static void alter(QueryHandler.Prepared prepared, UnaryOperator<TableMetadata.Builder> change)
    {
        schema.alter(change.apply(((SelectStatement) prepared.statement).table.unbuild()).build());
    }

    /** @return a statement on a new table that was changed */
    private static String altered(String table, UnaryOperator<TableMetadata.Builder> change)
    {
        alter(prepared(table), change);
        return select(table);
    }
}
