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

/** Random INSERT, UPDATE and DELETE statements of one table. One thread. */
final class Writes
{
    private final Table table;
    private final Random random;

    Writes(Table table, Random random)
    {
        this.table = table;
        this.random = random;
    }

    Statement next()
    {
        if (table.counters)
            return random.nextInt(10) == 0 ? delete() : increment();
        int pick = random.nextInt(100);
        if (pick < 55)
            return insert(false);
        if (pick < 75)
            return update(false);
        return delete();
    }

    /** @return a lightweight transaction */
    Statement conditional()
    {
        return random.nextBoolean() ? insert(true) : update(true);
    }

    private Statement insert(boolean conditional)
    {
        boolean staticOnly = !table.statics().isEmpty() && random.nextInt(4) == 0;
        List<Table.Column> columns = new ArrayList<>(table.partition);
        if (!staticOnly)
            columns.addAll(table.clustering);
        for (Table.Column column : staticOnly ? table.statics() : table.cells)
            if (random.nextInt(3) > 0)
                columns.add(column);
        Statement insert = new Statement(random).add("INSERT INTO " + table.qualified() + " (" + Table.names(columns) + ") VALUES (");
        for (int i = 0; i < columns.size(); i++)
            insert.add(i == 0 ? "" : ", ").operand(columns.get(i));
        insert.add(conditional ? ") IF NOT EXISTS" : ")");
        using(insert, conditional);
        insert.repeatable = !conditional;
        return insert;
    }

    /** Most expire long after the run, some within it. */
    private void using(Statement statement, boolean conditional)
    {
        if (random.nextInt(3) == 0)
            statement.add(" USING TTL ").variable("[ttl]", from -> integer(from.nextBoolean() ? 1 + from.nextInt(5) : 100_000));
        else if (!conditional && random.nextInt(4) == 0)
            statement.add(" USING TIMESTAMP ").variable("[timestamp]", Timestamps::next);
    }

    private static byte[] integer(int value)
    {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private Statement update(boolean conditional)
    {
        List<Table.Column> columns = new ArrayList<>(table.cells);
        if (columns.isEmpty())
            return insert(conditional);
        Collections.shuffle(columns, random);
        boolean onStatics = columns.get(0).isStatic;
        Statement update = new Statement(random).add("UPDATE " + table.qualified());
        using(update, conditional);
        String before = " SET ";
        for (Table.Column column : columns.subList(0, 1 + random.nextInt(Math.min(3, columns.size()))))
            if (column.isStatic == onStatics)
            {
                assign(update.add(before), column);
                before = ", ";
            }
        key(update.add(" WHERE "), onStatics);
        if (conditional)
            condition(update, columns.get(0));
        return update;
    }

    private void condition(Statement update, Table.Column column)
    {
        update.repeatable = false;
        if (random.nextBoolean())
            update.add(" IF EXISTS");
        else
            update.add(" IF " + column.name + " = ").operand(column);
    }

    private void assign(Statement update, Table.Column column)
    {
        String name = column.name;
        CqlType type = column.type;
        if (!type.isMultiCell() || random.nextInt(3) == 0)
        {
            update.add(name + " = ").operand(column);
            return;
        }
        switch (type.kind)
        {
            case LIST:
                // Each append makes elements of its own.
                update.repeatable = false;
                update.add(name + " = " + name + " + ").operand(column);
                break;
            case SET:
                update.add(name + " = " + name + (random.nextBoolean() ? " + " : " - ")).operand(column);
                break;
            case MAP:
                update.add(name + '[').variable("key(" + name + ')', type.parts.get(0)::value).add("] = ")
                      .variable("value(" + name + ')', type.parts.get(1)::value);
                break;
            default:
                int field = random.nextInt(type.fields.size());
                update.add(name + '.' + type.fields.get(field) + " = ").variable(name + '.' + type.fields.get(field),
                                                                                 type.parts.get(field)::value);
        }
    }

    private Statement increment()
    {
        Table.Column column = table.cells.get(random.nextInt(table.cells.size()));
        Statement update = new Statement(random).add("UPDATE " + table.qualified() + " SET " + column.name + " = " + column.name
                                                     + (random.nextBoolean() ? " + " : " - ")).operand(column);
        key(update.add(" WHERE "), column.isStatic);
        update.repeatable = false;
        return update;
    }

    private Statement delete()
    {
        Statement delete = new Statement(random).add("DELETE ");
        delete.repeatable = !table.counters;
        int pick = random.nextInt(10);
        boolean cells = pick < 4 && !table.cells.isEmpty();
        Table.Column column = cells ? table.cells.get(random.nextInt(table.cells.size())) : null;
        if (cells)
            delete.add(column.name + ' ');
        delete.add("FROM " + table.qualified());
        if (!table.counters && random.nextInt(4) == 0)
            delete.add(" USING TIMESTAMP ").variable("[timestamp]", Timestamps::next);
        delete.add(" WHERE ");
        if (pick >= 6 && !table.clustering.isEmpty())
            range(delete);
        else
            key(delete, (cells && column.isStatic) || pick == 4);
        return delete;
    }

    private void range(Statement delete)
    {
        key(delete, true);
        int prefix = random.nextInt(table.clustering.size());
        for (Table.Column column : table.clustering.subList(0, prefix))
            delete.add(" AND " + column.name + " = ").operand(column);
        Table.Column sliced = table.clustering.get(prefix);
        delete.takesNull = false;
        delete.add(" AND " + sliced.name + (random.nextBoolean() ? " > " : " <= ")).operand(sliced);
    }

    private void key(Statement statement, boolean partitionOnly)
    {
        List<Table.Column> columns = new ArrayList<>(table.partition);
        if (!partitionOnly)
            columns.addAll(table.clustering);
        for (int i = 0; i < columns.size(); i++)
            statement.add((i == 0 ? "" : " AND ") + columns.get(i).name + " = ").operand(columns.get(i));
    }
}
