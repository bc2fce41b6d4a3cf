/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Random SELECT statements of one table. One thread. */
final class Selects
{
    /** Of a hundred ways to select: columns as they are, under names of their own as well. */
    private static final int PLAIN_SELECTIONS = 80;

    private static final String[] SLICES = { " > ", " >= ", " < ", " <= " };

    private final Table table;
    private final Random random;

    Selects(Table table, Random random)
    {
        this.table = table;
        this.random = random;
    }

    /** @return columns of rows of one partition: what the door may answer */
    Statement plain()
    {
        Statement select = new Statement(random);
        select.add("SELECT " + selection(select, random.nextInt(PLAIN_SELECTIONS)) + " FROM " + table.qualified() + " WHERE ");
        partitionKey(select);
        if (!table.clustering.isEmpty())
            clusterings(select, random.nextInt(100));
        orderAndLimits(select, true);
        return select;
    }

    /** @return any */
    Statement next()
    {
        Statement select = new Statement(random);
        select.unqualified = random.nextInt(8) == 0;
        boolean distinct = random.nextInt(30) == 0;
        boolean json = !distinct && random.nextInt(30) == 0;
        select.add("SELECT " + (distinct ? "DISTINCT " : json ? "JSON " : ""));
        select.add(distinct ? Table.names(table.partition) + statics() : selection(select, random.nextInt(100)));
        select.add(" FROM " + (select.unqualified ? table.name : table.qualified()));
        boolean onePartition = distinct ? distinctWhere(select) : where(select);
        orderAndLimits(select, onePartition && !distinct);
        if (random.nextInt(20) == 0)
            select.add(" ALLOW FILTERING");
        return select;
    }

    private void orderAndLimits(Statement select, boolean ordered)
    {
        if (ordered && !table.clustering.isEmpty() && random.nextInt(3) == 0)
            orderBy(select);
        if (ordered && random.nextInt(8) == 0)
            limit(select.add(" PER PARTITION LIMIT "));
        if (random.nextInt(3) == 0)
            limit(select.add(" LIMIT "));
    }

    private String statics()
    {
        List<Table.Column> statics = table.statics();
        return statics.isEmpty() || random.nextBoolean() ? "" : ", " + Table.names(statics);
    }

    private String selection(Statement select, int pick)
    {
        List<Table.Column> columns = table.all();
        if (pick < 35)
            return "*";
        Collections.shuffle(columns, random);
        List<Table.Column> some = columns.subList(0, 1 + random.nextInt(columns.size()));
        if (pick < 72)
            return Table.names(some);
        if (pick >= 95)
            return "count(*)";
        if (pick < PLAIN_SELECTIONS)
            return some.stream().map(column -> column.name + " AS a_" + column.name.replace("\"", "").replace(' ', '_'))
                       .collect(Collectors.joining(", ")) + ", " + some.get(0).name;
        return some.stream().map(column -> part(select, column)).collect(Collectors.joining(", "));
    }

    private String part(Statement select, Table.Column column)
    {
        boolean isCell = table.cells.contains(column);
        switch (random.nextInt(5))
        {
            case 0:
                return isCell ? "writetime(" + column.name + ')' : column.name;
            case 1:
                return isCell ? "ttl(" + column.name + ')' : "token(" + Table.names(table.partition) + ')';
            case 2:
                return column.type.kind == CqlType.Kind.UDT ? column.name + '.' + column.type.fields.get(0) : column.name;
            case 3:
                return "max(" + column.name + ')';
            default:
                return "CAST(" + column.name + " AS text)";
        }
    }

    /** @return whether the statement reads one partition at most */
    private boolean where(Statement select)
    {
        int pick = random.nextInt(100);
        if (pick < 4)
            return false;
        if (pick < 10)
        {
            select.add(" WHERE token(" + Table.names(table.partition) + ") > ").variable("partition key", this::token);
            return false;
        }
        if (pick < 16)
        {
            partitionIn(select.add(" WHERE "));
            return false;
        }
        select.add(" WHERE ");
        partitionKey(select);
        if (!table.clustering.isEmpty() && pick < 90)
            clusterings(select, pick);
        else if (pick >= 95 && !table.cells.isEmpty())
        {
            Table.Column column = table.cells.get(random.nextInt(table.cells.size()));
            select.add(" AND " + column.name + " = ").operand(column).add(" ALLOW FILTERING");
        }
        return true;
    }

    private boolean distinctWhere(Statement select)
    {
        if (random.nextBoolean())
            return false;
        partitionKey(select.add(" WHERE "));
        return true;
    }

    private byte[] token(Random from)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(from.nextLong()).array();
    }

    private void partitionKey(Statement select)
    {
        equal(select, table.partition, "");
    }

    private void equal(Statement select, List<Table.Column> columns, String before)
    {
        String and = before;
        for (Table.Column column : columns)
        {
            select.add(and + column.name + " = ").operand(column);
            and = " AND ";
        }
    }

    private void partitionIn(Statement select)
    {
        int last = table.partition.size() - 1;
        equal(select, table.partition.subList(0, last), "");
        in(select.add(last > 0 ? " AND " : ""), table.partition.get(last));
    }

    private void in(Statement select, Table.Column column)
    {
        select.add(column.name + " IN ");
        if (random.nextInt(3) == 0)
        {
            select.variable("in(" + column.name + ')', from -> list(column, from));
            return;
        }
        select.add("(").operand(column);
        for (int i = random.nextInt(3); i > 0; i--)
            select.add(", ").operand(column);
        select.add(")");
    }

    private static byte[] list(Table.Column column, Random from)
    {
        int count = from.nextInt(4);
        Body list = new Body().i32(count);
        for (int i = 0; i < count; i++)
            list.value(column.value(from));
        return list.bytes();
    }

    /** @param pick below a hundred */
    private void clusterings(Statement select, int pick)
    {
        int size = table.clustering.size();
        if (pick < 40)
            equal(select, table.clustering, " AND ");
        else if (pick < 62)
        {
            int prefix = random.nextInt(size);
            equal(select, table.clustering.subList(0, prefix), " AND ");
            slice(select, table.clustering.get(prefix));
        }
        else if (pick < 72)
            tupleSlice(select);
        else if (pick < 80)
        {
            equal(select, table.clustering.subList(0, size - 1), " AND ");
            in(select.add(" AND "), table.clustering.get(size - 1));
        }
        else
            equal(select, table.clustering.subList(0, random.nextInt(size)), " AND ");
    }

    private void slice(Statement select, Table.Column column)
    {
        boolean both = random.nextInt(3) == 0;
        boolean from = random.nextBoolean();
        if (from || both)
            select.add(" AND " + column.name + SLICES[random.nextInt(2)]).operand(column);
        if (!from || both)
            select.add(" AND " + column.name + SLICES[2 + random.nextInt(2)]).operand(column);
    }

    private void tupleSlice(Statement select)
    {
        List<Table.Column> prefix = table.clustering.subList(0, 1 + random.nextInt(table.clustering.size()));
        select.add(" AND (" + Table.names(prefix) + ')' + SLICES[random.nextInt(SLICES.length)] + '(');
        for (int i = 0; i < prefix.size(); i++)
            select.add(i == 0 ? "" : ", ").operand(prefix.get(i));
        select.add(")");
    }

    private void orderBy(Statement select)
    {
        boolean reversed = random.nextInt(4) > 0;
        List<String> orders = new ArrayList<>();
        for (Table.Column column : table.clustering)
            orders.add(column.name + (column.descending == reversed ? " ASC" : " DESC"));
        select.add(" ORDER BY " + String.join(", ", orders.subList(0, 1 + random.nextInt(orders.size()))));
    }

    private void limit(Statement select)
    {
        int limit = 1 + random.nextInt(random.nextBoolean() ? 3 : 30);
        if (random.nextBoolean())
            select.add(Integer.toString(limit));
        else
            select.variable("[limit]", from -> ByteBuffer.allocate(Integer.BYTES).putInt(1 + from.nextInt(from.nextInt(10) == 0 ? 100 : 5))
                                                         .array());
    }
}
