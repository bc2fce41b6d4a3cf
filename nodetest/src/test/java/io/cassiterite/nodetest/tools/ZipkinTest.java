/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Zipkin's storage finds its traces in engine tables. Two of the tables that its search needs have SASI indexes: they stay stock. */
@Tag("tools")
class ZipkinTest
{
    private static final Program SPANS = Program.own("zipkin", "TracedSpans");
    private static final String MILLIS = Long.toString(System.currentTimeMillis());
    /** Which Cassandra 5.0 no longer has; Zipkin leaves them out, too. */
    private static final String NO_OPTIONS = "\\s+AND (dclocal_)?read_repair_chance = 0";
    /** Those with SASI. */
    private static final List<String> INDEXED = List.of("span", "trace_by_service_span");

    @Test
    void findsTracesByTheirId()
    {
        String keyspace = "zipkin_ids";
        drop(keyspace);
        List<String> lines = TwoNodes.same(node -> SPANS.lines(node, keyspace, MILLIS, "false"));
        assertTrue(lines.stream().filter(line -> line.startsWith("trace: [{")).count() == 60, lines::toString);
        TwoNodes.assertSameKeyspace(keyspace, false);
    }

    @Test
    void searchesWhereTheIndexedTablesAreStock()
    {
        String keyspace = "zipkin_search";
        drop(keyspace);
        for (Node node : TwoNodes.both())
            try (Cql cql = node.cql())
            {
                for (String file : List.of("zipkin2-schema.cql", "zipkin2-schema-indexes.cql"))
                    for (String statement : SchemaFile.inJar(jar(), file).with("zipkin2", keyspace).statements())
                        cql.run(statement.replaceAll(NO_OPTIONS, "")
                                + (isIndexed(statement, keyspace) ? " AND memtable = 'skiplist'" : ""));
            }
        List<String> lines = TwoNodes.same(node -> SPANS.lines(node, keyspace, MILLIS, "true"));
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("by tag alone: [")), lines::toString);
        try (Cql cql = TwoNodes.engine().cql())
        {
            String tables = "SELECT memtable FROM system_schema.tables WHERE keyspace_name = ?";
            assertEquals(INDEXED.size(), cql.texts(tables, keyspace).stream().filter("memtable='skiplist'"::equals).count());
            assertTrue(cql.texts(tables, keyspace).stream().filter("memtable='cassiterite'"::equals).count() >= 5);
        }
    }

    private static boolean isIndexed(String statement, String keyspace)
    {
        return INDEXED.stream().anyMatch(table -> statement.startsWith("CREATE TABLE IF NOT EXISTS " + keyspace + "." + table + " "));
    }

    @Test
    void sasiIsRefused()
    {
        drop("zipkin_refused");
        Node node = TwoNodes.engine();
        Output output = SPANS.run(List.of(node.address(), Integer.toString(node.cqlAddress().getPort()), "zipkin_refused", MILLIS, "true"));
        assertNotEquals(0, output.exitCode());
        try (Cql cql = node.cql("zipkin_refused"))
        {
            String index = "CREATE CUSTOM INDEX ON span (l_service) USING 'org.apache.cassandra.index.sasi.SASIIndex'";
            assertTrue(cql.refusal(index).contains("SASI"));
        }
    }

    private static void drop(String keyspace)
    {
        for (Node node : TwoNodes.both())
            try (Cql cql = node.cql())
            {
                cql.run("DROP KEYSPACE IF EXISTS " + keyspace);
            }
    }

    private static Path jar()
    {
        try (Stream<String> path = Arrays.stream(Files.readString(Checkout.root().resolve("build/tools/zipkin/classpath")).split(":")))
        {
            return path.filter(jar -> jar.contains("zipkin-storage-cassandra")).map(Path::of).findAny().orElseThrow();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
