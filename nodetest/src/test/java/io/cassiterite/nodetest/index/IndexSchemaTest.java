/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Schemas with indexes as Java's mappers and schema tools make them: names given and made up, IF NOT EXISTS, the schema
 * read back, DESCRIBE. The same statements go to a keyspace of stock tables and to one of engine tables.
 */
@NodeTest
class IndexSchemaTest
{
    private static final String[] KEYSPACES = { "schematool_stock", "schematool_engine" };
    private static final String TABLE = "CREATE TABLE person (id uuid, \"group\" int, born date, name text, city text static, " +
                                        "tags set<text>, scores list<int>, settings map<text, int>, address frozen<address>, " +
                                        "path frozen<list<text>>, \"Mixed\" text, PRIMARY KEY ((id, \"group\"), born)) " +
                                        "WITH memtable = '%s'";

    private final Node node;
    private final Cql any;
    private final List<Cql> sides = new ArrayList<>();

    IndexSchemaTest(Node node, Cql cql)
    {
        this.node = node;
        this.any = cql;
    }

    @BeforeEach
    void tables()
    {
        for (String keyspace : KEYSPACES)
        {
            any.freshKeyspace(keyspace);
            Cql side = node.cql(keyspace);
            sides.add(side);
            side.run("CREATE TYPE address (street text, zip int)");
            side.run(String.format(TABLE, keyspace.endsWith("engine") ? "cassiterite" : "trie"));
        }
    }

    @AfterEach
    void close()
    {
        sides.forEach(Cql::close);
        sides.clear();
    }

    private void run(String... statements)
    {
        for (Cql side : sides)
            for (String statement : statements)
                side.run(statement);
    }

    private void assertRefusedAlike(String statement)
    {
        List<String> reasons = new ArrayList<>();
        for (int i = 0; i < KEYSPACES.length; i++)
            reasons.add(sides.get(i).refusal(statement).replace(KEYSPACES[i], "the keyspace"));
        assertEquals(reasons.get(0), reasons.get(1));
    }

    /** @return the name and target of each index, which both keyspaces have alike */
    private List<String> indexes()
    {
        List<List<String>> found = new ArrayList<>();
        for (String keyspace : KEYSPACES)
        {
            List<String> lines = new ArrayList<>();
            for (Row row : any.rows("SELECT * FROM system_schema.indexes WHERE keyspace_name = ?", keyspace))
                lines.add(row.getString("table_name") + ' ' + row.getString("index_name") + ' '
                          + row.getMap("options", String.class, String.class).get("target"));
            found.add(lines);
        }
        assertEquals(found.get(0), found.get(1));
        return found.get(0);
    }

    @Test
    void namesAreGivenOrMadeUp()
    {
        run("CREATE INDEX person_by_name ON person (name)",
            "CREATE INDEX ON person (city)",
            "CREATE INDEX ON person (\"Mixed\")",
            "CREATE INDEX \"Quoted\" ON person (\"group\")",
            "CREATE INDEX ON person (born)",
            "CREATE INDEX ON person (tags)",
            "CREATE INDEX ON person (VALUES(scores))",
            "CREATE INDEX ON person (KEYS(settings))",
            "CREATE INDEX ON person (ENTRIES(settings))",
            "CREATE INDEX ON person (FULL(path))",
            "CREATE INDEX ON person (address)");
        assertEquals(11, indexes().size());
    }

    @Test
    void anIndexThatExistsIsLeftAlone()
    {
        run("CREATE INDEX IF NOT EXISTS by_name ON person (name)",
            "CREATE INDEX IF NOT EXISTS by_name ON person (name)",
            "CREATE INDEX IF NOT EXISTS other_name ON person (name)",
            "CREATE INDEX IF NOT EXISTS ON person (name)");
        assertEquals(List.of("person by_name name"), indexes());
        assertRefusedAlike("CREATE INDEX by_name ON person (name)");
        assertRefusedAlike("CREATE INDEX by_name ON person (city)");
        assertRefusedAlike("CREATE INDEX twice ON person (name)");
        run("DROP INDEX by_name", "DROP INDEX IF EXISTS by_name");
        assertRefusedAlike("DROP INDEX by_name");
        assertEquals(List.of(), indexes());
    }

    @Test
    void whatStockRefusesIsRefusedInItsWords()
    {
        assertRefusedAlike("CREATE INDEX ON person (nothing)");
        assertRefusedAlike("CREATE INDEX ON person (KEYS(tags))");
        assertRefusedAlike("CREATE INDEX ON person (FULL(tags))");
        assertRefusedAlike("CREATE INDEX ON person (path)");
        assertRefusedAlike("CREATE INDEX ON person (VALUES(name))");
        run("CREATE INDEX ON person (name)", "CREATE INDEX ON person (born)");
        assertRefusedAlike("ALTER TABLE person DROP name");
        assertRefusedAlike("ALTER TABLE person RENAME born TO birth");
    }

    @Test
    void describedTablesCanBeMadeAgain()
    {
        run("CREATE INDEX person_by_name ON person (name)", "CREATE INDEX ON person (ENTRIES(settings))");
        List<String> before = indexes();
        for (String keyspace : KEYSPACES)
        {
            List<String> statements = described("DESCRIBE TABLE " + keyspace + ".person");
            assertTrue(statements.stream().anyMatch(line -> line.contains("person_by_name")), statements::toString);
            String index = String.join("", described("DESCRIBE INDEX " + keyspace + ".person_by_name"));
            assertTrue(index.contains("person_by_name ON " + keyspace + ".person"), index);
            any.run("DROP TABLE " + keyspace + ".person");
            for (String statement : String.join("\n", statements).split(";"))
                if (!statement.isBlank())
                    any.run(statement);
        }
        assertEquals(before, indexes());
        run("INSERT INTO person (id, \"group\", born, name) VALUES (00000000-0000-0000-0000-000000000001, 1, '2024-02-29', 'Ann')");
        for (Cql side : sides)
            assertEquals(1, side.rows("SELECT * FROM person WHERE name = 'Ann'").size());
    }

    private List<String> described(String statement)
    {
        return any.rows(statement).stream().map(row -> row.getString("create_statement")).toList();
    }

    @Test
    void aDroppedTableTakesItsIndexesAlong()
    {
        run("CREATE INDEX person_by_name ON person (name)", "DROP TABLE person");
        assertEquals(List.of(), indexes());
    }

    @Test
    void theIndexIsBuiltAndSaysSo()
    {
        run("INSERT INTO person (id, \"group\", born, name) VALUES (00000000-0000-0000-0000-000000000001, 1, '2024-02-29', 'Ann')",
            "CREATE INDEX person_by_name ON person (name)");
        for (String keyspace : KEYSPACES)
            Indexes.awaitBuilt(any, keyspace, "person_by_name");
        for (Cql side : sides)
        {
            assertEquals(1, side.rows("SELECT * FROM person WHERE name = 'Ann'").size());
            side.run("DROP INDEX person_by_name");
            assertTrue(side.refusal("SELECT * FROM person WHERE name = 'Ann'").contains("ALLOW FILTERING"));
        }
        for (String keyspace : KEYSPACES)
            assertFalse(Indexes.isBuilt(any, keyspace, "person_by_name"), keyspace);
    }

    @Test
    void optionsOfAnIndexHaveAClassOnlyIfItIsNotStocks()
    {
        run("CREATE INDEX person_by_name ON person (name)");
        Map<String, String> options = any.rows("SELECT options FROM system_schema.indexes WHERE keyspace_name = ?", KEYSPACES[1]).get(0)
                                         .getMap("options", String.class, String.class);
        assertTrue(options.get("class_name").startsWith("io.cassiterite."), options::toString);
    }
}
