/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Types;

import io.cassiterite.engine.TableSchema;

import static org.junit.jupiter.api.Assertions.assertEquals;

class KeyComparisonTest
{
    private static final TableMetadata ORDERS = table("a int, b text, c uuid, d int, PRIMARY KEY ((a, b), c, d)) " +
                                                      "WITH CLUSTERING ORDER BY (c ASC, d DESC");

    @TempDir
    Path folder;

    @Test
    void aKeyIsItsTypesInTheirOrder() throws IOException
    {
        assertEquals("same", compare("x int, y text, c uuid, z int, v blob, PRIMARY KEY ((x, y), c, z)) " +
                                     "WITH CLUSTERING ORDER BY (c ASC, z DESC) AND comment = 'it''s; \"odd'"));
        assertEquals("the backup's key is (int, text), uuid, int, the table's is (int, text), uuid, int DESC",
                     compare("a int, b text, c uuid, d int, PRIMARY KEY ((a, b), c, d))"));
        assertEquals("the backup's key is (int), text, uuid, int, the table's is (int, text), uuid, int DESC",
                     compare("a int, b text, c uuid, d int, PRIMARY KEY (a, b, c, d))"));
    }

    @Test
    void aManifestTellsItsKey()
    {
        assertEquals("same", KeyComparison.of(TableSchema.key(ORDERS), ORDERS));
        assertEquals("the backup's key is (int, text), the table's is (int, text), uuid, int DESC",
                     KeyComparison.of("(int, text)", ORDERS));
    }

    @Test
    void whatCannotBeReadIsUnknown() throws IOException
    {
        assertEquals("unknown", KeyComparison.of(folder.resolve("schema.cql"), ORDERS, Types.none()));
        assertEquals("unknown", compare("a int, b unheard_of, PRIMARY KEY (a, b))"));
        Files.writeString(folder.resolve("schema.cql"), "CREATE TYPE shop.t (a int);");
        assertEquals("unknown", KeyComparison.of(folder.resolve("schema.cql"), ORDERS, Types.none()));
    }

    private String compare(String columns) throws IOException
    {
        Path schema = Files.writeString(folder.resolve("schema.cql"), "CREATE TYPE IF NOT EXISTS shop.t (a int);\n\n" +
                                                                      "CREATE TABLE IF NOT EXISTS shop.orders (\n    " + columns +
                                                                      ";\n\nCREATE INDEX i ON shop.orders (v);\n");
        return KeyComparison.of(schema, ORDERS, Types.none());
    }

    private static TableMetadata table(String columns)
    {
        return CreateTableStatement.parse("CREATE TABLE orders (" + columns + ")", "shop").build();
    }
}
