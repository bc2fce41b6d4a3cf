/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random CREATE INDEX and DROP INDEX on one table, which keep account of the indexes that it has. One thread. */
final class IndexChanges
{
    private static final int INDEXES_MAX = 5;

    private final TableShape shape;
    private final Random random;
    private final Map<String, IndexTarget> indexes = new LinkedHashMap<>();
    private final Map<Step, String> creating = new LinkedHashMap<>();
    private int namesUsed;

    IndexChanges(TableShape shape, Random random)
    {
        this.shape = shape;
        this.random = random;
    }

    List<IndexTarget> targets()
    {
        return new ArrayList<>(indexes.values());
    }

    boolean isIndexed(TableShape.Column column)
    {
        return indexes.values().stream().anyMatch(target -> target.column == column);
    }

    /** @return CREATE INDEX for some of the columns */
    List<Step> begin()
    {
        List<Step> steps = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--)
            steps.add(create());
        return steps;
    }

    Step next()
    {
        boolean full = indexes.size() >= INDEXES_MAX;
        return indexes.isEmpty() || (!full && random.nextBoolean()) ? create() : drop();
    }

    private Step create()
    {
        IndexTarget target = IndexTarget.random(column(), random);
        String name = "i" + namesUsed++;
        boolean again = indexes.values().stream().anyMatch(target::sameAs);
        String exists = random.nextInt(6) == 0 ? "IF NOT EXISTS " : "";
        Step step = step("create index", "CREATE INDEX " + exists + "{x}_" + name + " ON {t} (" + target.cql() + ')');
        if (!again)
        {
            indexes.put(name, target);
            creating.put(step, name);
        }
        return step;
    }

    /**
     * Not of vectors: what stock does with them is another kind of query. Nor of collections of them: SAI takes these for
     * vectors, and fails the writes.
     */
    private TableShape.Column column()
    {
        List<TableShape.Column> candidates = candidates();
        candidates.removeIf(c -> c.type.has(ValueType.Kind.VECTOR));
        if (candidates.isEmpty())
        {
            candidates = shape.all();
            candidates.removeIf(c -> c.type.has(ValueType.Kind.VECTOR));
        }
        return candidates.isEmpty() ? shape.partition.get(0) : candidates.get(random.nextInt(candidates.size()));
    }

    private List<TableShape.Column> candidates()
    {
        int pick = random.nextInt(20);
        if (pick < 2 || (pick < 4 && shape.partition.size() > 1))
            return new ArrayList<>(shape.partition);
        if (pick < 7 && !shape.clustering.isEmpty())
            return new ArrayList<>(shape.clustering);
        if (pick < 10 && !shape.statics().isEmpty())
            return shape.statics();
        return new ArrayList<>(shape.cells);
    }

    private Step drop()
    {
        List<String> names = new ArrayList<>(indexes.keySet());
        String name = names.get(random.nextInt(names.size()));
        indexes.remove(name);
        return step("drop index", "DROP INDEX {k}.{x}_" + name);
    }

    /** The table is gone, and its indexes with it. */
    void tableDropped()
    {
        indexes.clear();
    }

    void refused(Step step)
    {
        String name = creating.remove(step);
        if (name != null)
            indexes.remove(name);
    }

    private static Step step(String kind, String cql)
    {
        return Step.write(kind, cql, List.of(), Step.SERVER_STAMP);
    }
}
