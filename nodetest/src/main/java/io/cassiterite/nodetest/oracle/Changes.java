/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.List;
import java.util.Random;

/** Random changes of a table as a whole: TRUNCATE, ALTER, DROP and CREATE. Keeps the shape in step. One thread. */
final class Changes
{
    private final TableShape shape;
    private final Random random;
    private final List<ValueType> userTypes;
    private int renames;
    private Step addingAgain;
    private TableShape.Column addedAgain;
    private Step dropping;
    private Step renaming;
    private TableShape.Column renamed;
    private String nameBefore;

    Changes(TableShape shape, Random random, List<ValueType> userTypes)
    {
        this.shape = shape;
        this.random = random;
        this.userTypes = userTypes;
    }

    List<Step> next()
    {
        int pick = random.nextInt(10);
        if (pick < 2)
            return List.of(step("truncate", "TRUNCATE {t}"));
        if (pick < 3)
            return List.of(step("drop", "DROP TABLE {t}"), step("create", shape.create()));
        if (pick < 5)
            return List.of(add());
        if (pick < 9 && !shape.dropped.isEmpty() && shape.stamps == TableShape.Stamps.CLOCK)
            return addAgain();
        // Cells that are younger than the DROP of their column make stock tables fail reads: no DROP where stamps may lie ahead.
        if (pick < 9 && shape.cells.size() > 1 && shape.stamps != TableShape.Stamps.FREE)
            return List.of(drop());
        if (pick < 10 && random.nextBoolean() && !shape.clustering.isEmpty())
            return List.of(rename());
        return List.of(step("alter options", "ALTER TABLE {t} WITH " + options()));
    }

    private String options()
    {
        String[] options = { "comment = 'changed'", "compression = {'enabled': 'false'}",
                "compaction = {'class': 'LeveledCompactionStrategy'}",
                             "speculative_retry = 'NONE'", "bloom_filter_fp_chance = 0.2" };
        return options[random.nextInt(options.length)];
    }

    private Step add()
    {
        TableShape.Column column = shape.addCell(random, userTypes, !shape.clustering.isEmpty() && random.nextInt(3) == 0);
        return step("alter add", add(column));
    }

    private static String add(TableShape.Column column)
    {
        return "ALTER TABLE {t} ADD " + column.name + ' ' + column.type.cql() + (column.isStatic ? " static" : "");
    }

    private Step drop()
    {
        TableShape.Column column = shape.cells.remove(random.nextInt(shape.cells.size()));
        shape.dropped.add(column);
        dropping = step("alter drop", "ALTER TABLE {t} DROP " + column.name);
        return dropping;
    }

    private List<Step> addAgain()
    {
        // Cassandra refuses to add a dropped counter or a type with user types; both sides must say the same.
        addedAgain = shape.dropped.remove(random.nextInt(shape.dropped.size()));
        shape.cells.add(addedAgain);
        addingAgain = step("alter add again", add(addedAgain));
        return List.of(addingAgain);
    }

    /** To be told of every step that the tables refused. */
    void refused(Step step)
    {
        if (step == addingAgain)
            shape.cells.remove(addedAgain);
        if (step == dropping)
            shape.cells.add(shape.dropped.remove(shape.dropped.size() - 1));
        if (step == renaming)
            renamed.name = nameBefore;
    }

    private Step rename()
    {
        renamed = shape.clustering.get(random.nextInt(shape.clustering.size()));
        nameBefore = renamed.name;
        String name = "k" + renames++;
        renaming = step("alter rename", "ALTER TABLE {t} RENAME " + nameBefore + " TO " + name);
        renamed.name = name;
        return renaming;
    }

    private static Step step(String kind, String cql)
    {
        return Step.write(kind, cql, List.of(), Step.SERVER_STAMP);
    }
}
