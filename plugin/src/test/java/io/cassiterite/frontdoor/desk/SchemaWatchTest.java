/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaChangeListener;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@OwnJvm
class SchemaWatchTest
{
    private final List<SchemaWatch.Change> changes = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final SchemaWatch watch = new SchemaWatch(changes::add, () -> failures.add("failed"));

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    private static Statement statement(TableId table, String keyspace)
    {
        return new Statement(FakeDoor.id('a'), table, keyspace, null, "SELECT", new Object());
    }

    private static TableMetadata table(String keyspace)
    {
        return TableMetadata.builder(keyspace, "t", TableId.generate()).addPartitionKeyColumn("k", Int32Type.instance).build();
    }

    /** F15: else a recipe could be learned from a statement that Cassandra is about to invalidate. */
    @Test
    void isCalledAfterCassandraHasInvalidatedStatements() throws ReflectiveOperationException
    {
        watch.register();
        List<SchemaChangeListener> listeners = listeners();
        int own = listeners.indexOf(watch);
        assertTrue(listeners.stream().limit(own)
                            .anyMatch(listener -> listener.getClass().getName().endsWith("QueryProcessor$StatementInvalidatingListener")));
        watch.unregister();
        assertFalse(listeners().contains(watch));
    }

    @SuppressWarnings("unchecked")
    private static List<SchemaChangeListener> listeners() throws ReflectiveOperationException
    {
        Field notifier = Schema.class.getDeclaredField("schemaChangeNotifier");
        notifier.setAccessible(true);
        Field listeners = notifier.getType().getDeclaredField("changeListeners");
        listeners.setAccessible(true);
        return List.copyOf((List<SchemaChangeListener>) listeners.get(notifier.get(Schema.instance)));
    }

    /** Else Cassandra would skip the listeners that it has not called yet. */
    @Test
    void aChangeThatCannotBeSeenToIsNoneOfCassandrasConcern()
    {
        SchemaWatch failing = new SchemaWatch(change -> {
            throw new IllegalStateException("test");
        }, () -> {
            failures.add("failed");
            throw new IllegalStateException("test");
        });
        TableMetadata table = table("shop");
        failing.onDropTable(table, true);
        failing.onDropKeyspace(KeyspaceMetadata.create("shop", KeyspaceParams.simple(1)), true);
        assertEquals(List.of("failed", "failed"), failures);

        watch.onDropTable(table, true);
        assertEquals(2, failures.size());
    }

    /** F14, F15: also where Cassandra keeps its statements, as for a mask. */
    @Test
    void anyChangeOfATableConcernsItsStatements()
    {
        TableMetadata table = table("shop");
        watch.onAlterTable(table, table, false);
        watch.onDropTable(table, true);
        assertEquals(2, changes.size());
        for (SchemaWatch.Change change : changes)
        {
            assertTrue(change.concerns(statement(table.id, "shop")));
            assertFalse(change.concerns(statement(TableId.generate(), "shop")));
            assertTrue(change.concerns(table.id));
            assertFalse(change.concerns(TableId.generate()));
        }
    }

    /** F3: the replication decides which ranges and levels the node may answer alone. */
    @Test
    void aChangeOfAKeyspaceConcernsAllItsStatements()
    {
        KeyspaceMetadata keyspace = KeyspaceMetadata.create("shop", KeyspaceParams.simple(1));
        watch.onAlterKeyspace(keyspace, keyspace);
        watch.onDropKeyspace(keyspace, true);
        assertEquals(2, changes.size());
        for (SchemaWatch.Change change : changes)
        {
            assertTrue(change.concerns(statement(TableId.generate(), "shop")));
            assertFalse(change.concerns(statement(TableId.generate(), "bank")));
            assertTrue(change.concerns(TableId.generate()), "it may have been one of the keyspace");
            assertFalse(change.concerns(SystemKeyspace.metadata().tables.getNullable(SystemKeyspace.LOCAL).id));
        }
    }
}
