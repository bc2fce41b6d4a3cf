/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A table with the statements that a run executes on it, a few of them very often. One thread. */
final class Workload
{
    private static final int SELECTS = 14;
    private static final int WRITES = 10;
    private static final int CONDITIONALS = 3;

    private final Random random;
    private Table table;
    private final List<Statement> selects = new ArrayList<>();
    private final List<Statement> writes = new ArrayList<>();
    private final List<Statement> conditionals = new ArrayList<>();

    Workload(Table table, Random random)
    {
        this.random = random;
        become(table);
    }

    Table table()
    {
        return table;
    }

    /** Another table of the same name has taken its place; some of the statements stay. */
    void become(Table other)
    {
        table = other;
        adapt();
    }

    /** Makes statements for the columns that the table has now, in the place of some. */
    void adapt()
    {
        Selects selectGrammar = new Selects(table, random);
        Writes writeGrammar = new Writes(table, random);
        shrink(selects);
        shrink(writes);
        shrink(conditionals);
        while (selects.size() < SELECTS)
            selects.add(random.nextInt(3) > 0 ? selectGrammar.plain() : selectGrammar.next());
        while (writes.size() < WRITES)
            writes.add(writeGrammar.next());
        Collections.shuffle(selects, random);
        while (!table.counters && conditionals.size() < CONDITIONALS)
            conditionals.add(writeGrammar.conditional());
    }

    private void shrink(List<Statement> statements)
    {
        statements.removeIf(statement -> random.nextInt(3) == 0);
    }

    /** Puts another statement in the place of one that cannot be prepared. */
    void replace(Statement refused)
    {
        selects.replaceAll(statement -> statement == refused ? new Selects(table, random).plain() : statement);
        writes.replaceAll(statement -> statement == refused ? new Writes(table, random).next() : statement);
        conditionals.replaceAll(statement -> statement == refused ? new Writes(table, random).conditional() : statement);
    }

    Statement select()
    {
        return often(selects);
    }

    Statement write()
    {
        return often(writes);
    }

    /** @return null where the table takes none */
    Statement conditional()
    {
        return conditionals.isEmpty() ? null : often(conditionals);
    }

    private Statement often(List<Statement> statements)
    {
        double share = random.nextDouble();
        return statements.get((int) (statements.size() * share * share));
    }
}
