/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.List;
import java.util.Random;

/** Random changes of a table as a whole: ALTER, TRUNCATE, DROP and CREATE. One thread. */
final class SchemaChanges
{
    /** What to say to the node, and what to do once it has agreed. */
    static final class Change
    {
        final String cql;
        final Runnable done;

        Change(String cql, Runnable done)
        {
            this.cql = cql;
            this.done = done;
        }
    }

    private static final String[] OPTIONS = { "comment = 'changed'", "speculative_retry = 'ALWAYS'", "speculative_retry = '99p'",
                                              "gc_grace_seconds = 864001", "caching = {'keys': 'NONE', 'rows_per_partition': '10'}",
                                              "default_time_to_live = 0", "bloom_filter_fp_chance = 0.2" };

    private final Random random;
    private final List<CqlType> userTypes;
    private int named;

    SchemaChanges(Random random, List<CqlType> userTypes)
    {
        this.random = random;
        this.userTypes = userTypes;
    }

    List<Change> next(Workload workload)
    {
        Table table = workload.table();
        String alter = "ALTER TABLE " + table.qualified() + ' ';
        switch (random.nextInt(9))
        {
            case 0:
                boolean isStatic = !table.clustering.isEmpty() && random.nextInt(3) == 0;
                return List.of(add(alter, table, table.cell(random, userTypes, isStatic), null));
            case 1:
            case 2:
                if (table.cells.size() > 1)
                    return List.of(drop(alter, table));
                break;
            case 3:
                if (!table.dropped.isEmpty())
                {
                    Table.Column again = table.dropped.get(random.nextInt(table.dropped.size()));
                    return List.of(add(alter, table, again, again));
                }
                break;
            case 4:
                if (!table.clustering.isEmpty())
                    return List.of(rename(alter, table));
                break;
            case 5:
                return List.of(new Change(alter + "WITH " + OPTIONS[random.nextInt(OPTIONS.length)], () -> {
                }));
            case 6:
                return recreate(workload);
            case 7:
                return List.of(addField(table.keyspace));
            default:
                break;
        }
        return List.of(new Change("TRUNCATE " + table.qualified(), () -> {
        }));
    }

    private static Change add(String alter, Table table, Table.Column column, Table.Column again)
    {
        return new Change(alter + "ADD " + column.name + ' ' + column.type.cql() + (column.isStatic ? " static" : ""), () -> {
            table.cells.add(column);
            table.dropped.remove(again);
        });
    }

    private Change drop(String alter, Table table)
    {
        Table.Column column = table.cells.get(random.nextInt(table.cells.size()));
        return new Change(alter + "DROP " + column.name, () -> {
            table.cells.remove(column);
            table.dropped.add(column);
        });
    }

    private Change rename(String alter, Table table)
    {
        int at = random.nextInt(table.clustering.size());
        Table.Column old = table.clustering.get(at);
        Table.Column renamed = new Table.Column("k" + named++, old.type, false, old.descending, old.pool);
        return new Change(alter + "RENAME " + old.name + " TO " + renamed.name, () -> table.clustering.set(at, renamed));
    }

    /** Of the same name, and so with the same ids of statements: with the columns of before, or with others. */
    private List<Change> recreate(Workload workload)
    {
        Table before = workload.table();
        Table after = random.nextBoolean() ? before : new Table(before.keyspace, before.name, random, userTypes);
        return List.of(new Change("DROP TABLE " + before.qualified(), () -> {
        }), new Change(after.create(), () -> {
            before.dropped.clear();
            workload.become(after);
        }));
    }

    private Change addField(String keyspace)
    {
        CqlType type = userTypes.get(random.nextInt(userTypes.size()));
        return new Change("ALTER TYPE " + keyspace + '.' + type.name + " ADD more" + named++ + " text", () -> {
        });
    }
}
