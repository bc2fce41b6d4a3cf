/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random SELECTs that an index can serve, alone or with filters, within a partition or a token range. One thread. */
final class IndexQueries
{
    private static final int[] PAGES = { 1, 2, 3, 5, 10, 33, 100, 5000, 5000 };
    private static final long[] AHEAD_SECONDS = { 0, 0, 0, 0, 2, 4, 61, 86_401, 604_801, 604_861, 691_201 };
    private static final String[] SLICES = { " < ", " <= ", " > ", " >= " };

    private final TableShape shape;
    private final IndexChanges indexes;
    private final Random random;
    private final Restrictions where;
    private List<Step.Bind> binds = new ArrayList<>();

    IndexQueries(TableShape shape, IndexChanges indexes, Random random)
    {
        this.shape = shape;
        this.indexes = indexes;
        this.random = random;
        this.where = new Restrictions(shape, random);
    }

    /** @return a query; of a table that has no index, one with filters only */
    Step next()
    {
        binds = new ArrayList<>();
        List<IndexTarget> targets = indexes.targets();
        List<String> parts = new ArrayList<>();
        String kind = targets.isEmpty() ? unindexed(parts) : indexed(parts, targets);
        boolean filtered = targets.isEmpty() || random.nextInt(6) == 0;
        if (random.nextInt(4) == 0)
        {
            unindexed(parts);
            filtered = random.nextInt(6) > 0;
        }
        if (random.nextInt(4) == 0)
            filtered |= keyed(parts);
        else if (random.nextInt(6) == 0)
            parts.add(tokens());
        return select(kind, String.join(" AND ", parts), filtered);
    }

    private String indexed(List<String> parts, List<IndexTarget> targets)
    {
        IndexTarget target = targets.get(random.nextInt(targets.size()));
        int pick = random.nextInt(20);
        if (pick < 4 && target.isWhole())
            return range(parts, target.column);
        if (pick < 6 && target.isWhole())
        {
            parts.add(target.column.name + " IN (" + value(target.column) + ", " + value(target.column) + ')');
            return "index in";
        }
        if (pick == 6)
        {
            Step.Bind[] values = { Step.Bind.NULL, Step.Bind.UNSET, Step.Bind.EMPTY };
            binds.add(values[random.nextInt(values.length)]);
            parts.add(target.column.name + (target.isWhole() ? " = ?" : " CONTAINS ?"));
            return "index bound";
        }
        parts.add(target.predicate(random));
        if (pick < 11 && targets.size() > 1)
        {
            for (int i = 1 + random.nextInt(2); i > 0; i--)
                addOther(parts, targets.get(random.nextInt(targets.size())));
            return "index and";
        }
        return "index " + (target.isWhole() ? "equal" : target.part.name().toLowerCase());
    }

    /** Seldom of a column that is restricted already, which is mostly refused. */
    private void addOther(List<String> parts, IndexTarget target)
    {
        if (random.nextInt(10) == 0 || parts.stream().noneMatch(part -> part.matches(target.column.name + "\\W.*")))
            parts.add(target.predicate(random));
    }

    private String range(List<String> parts, TableShape.Column column)
    {
        int from = random.nextInt(SLICES.length);
        parts.add(column.name + SLICES[from] + value(column));
        if (random.nextBoolean())
            parts.add(column.name + SLICES[(from + 2) % SLICES.length] + value(column));
        return StockIndexFlaws.kindOfRange(column.type);
    }

    private String unindexed(List<String> parts)
    {
        List<TableShape.Column> columns = shape.all();
        // no user type that is not frozen can be restricted
        columns.removeIf(c -> c.type.kind == ValueType.Kind.UDT && !c.type.frozen && random.nextInt(10) > 0);
        TableShape.Column column = columns.get(random.nextInt(columns.size()));
        IndexTarget target = IndexTarget.random(column, random);
        if (!target.isWhole() || random.nextInt(3) > 0)
            addOther(parts, target);
        else if (StockIndexFlaws.kindOfRange(column.type).equals(StockIndexFlaws.RANGE))
            parts.add(column.name + SLICES[random.nextInt(SLICES.length)] + value(column));
        if (parts.isEmpty())
            parts.add(target.predicate(random));
        return "index none";
    }

    /** @return whether the clustering is restricted, which may want filtering */
    private boolean keyed(List<String> parts)
    {
        parts.add(random.nextInt(5) == 0 ? where.partitions() : where.partitionKey());
        String slice = random.nextBoolean() ? where.clusterings(random.nextInt(4) == 0) : "";
        if (!slice.isEmpty())
            parts.add(slice);
        return !slice.isEmpty() && random.nextBoolean();
    }

    private String tokens()
    {
        String token = "token(" + TableShape.names(shape.partition) + ')';
        switch (random.nextInt(3))
        {
            case 0:
                return token + " > " + random.nextLong();
            case 1:
                return token + " <= " + random.nextLong();
            default:
                return token + " >= " + random.nextLong() + " AND " + token + " < " + random.nextLong();
        }
    }

    private Step select(String kind, String condition, boolean filtered)
    {
        String projection = projection();
        StringBuilder cql = new StringBuilder("SELECT ").append(projection).append(" FROM {t} WHERE ").append(condition);
        if (!shape.clustering.isEmpty() && random.nextInt(15) == 0)
            cql.append(" ORDER BY ").append(shape.clustering.get(0).name).append(random.nextBoolean() ? " ASC" : " DESC");
        boolean rows = !projection.startsWith("count") && !projection.startsWith("DISTINCT");
        if (random.nextInt(rows ? 6 : 50) == 0)
            cql.append(" PER PARTITION LIMIT ").append(1 + random.nextInt(3));
        if (random.nextInt(5) == 0)
            cql.append(" LIMIT ").append(1 + random.nextInt(6));
        if (filtered)
            cql.append(" ALLOW FILTERING");
        return Step.read(kind, cql.toString(), PAGES[random.nextInt(PAGES.length)], AHEAD_SECONDS[random.nextInt(AHEAD_SECONDS.length)],
                         binds);
    }

    /** All columns where rows expire: of part of them, or of none, stock tables lose rows ({@link Step#stockCql}). */
    private String projection()
    {
        int pick = random.nextInt(20);
        if (pick < 2 && !shape.rowsExpire)
            return "count(*)";
        if (pick < 3)
            return "DISTINCT " + TableShape.names(shape.partition);
        if (pick < 13 || shape.rowsExpire)
            return "*";
        List<TableShape.Column> all = shape.all();
        return TableShape.names(all.subList(random.nextInt(all.size()), all.size()));
    }

    private String value(TableShape.Column column)
    {
        return IndexTarget.value(column, random);
    }
}
