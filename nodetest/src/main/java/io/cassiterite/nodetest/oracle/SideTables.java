/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.cassiterite.nodetest.Pause;

/** The tables of one name, one for each side of an index oracle, and how they are asked. One thread. */
final class SideTables
{
    /** Cassandra's code of this reason. */
    private static final int INDEX_NOT_AVAILABLE = 6;
    private static final int BUILD_POLL_MILLIS = 20;
    private static final int BUILD_POLLS_MAX = 9_000;

    final String keyspace;
    private final Machine machine;
    private final String name;
    private final Twin.Fault fault;
    private List<Side> sides;

    /** @param fault spoils what the last side gets, null for none */
    SideTables(Machine machine, String keyspace, String name, List<Side> sides, Twin.Fault fault)
    {
        this.machine = machine;
        this.keyspace = keyspace;
        this.name = name;
        this.sides = sides;
        this.fault = fault;
    }

    List<Side> sides()
    {
        return sides;
    }

    void leaveOut(Side side)
    {
        sides = new ArrayList<>(sides);
        sides.remove(side);
    }

    Side last()
    {
        return sides.get(sides.size() - 1);
    }

    static boolean isQuery(Step step)
    {
        return step.kind.startsWith("index ");
    }

    Map<Side, Answer> ask(Step step, Collection<Side> of, long stamp, int now)
    {
        if (isQuery(step))
            return askAtOnce(step, of, stamp, now).get();
        Map<Side, Answer> answers = new EnumMap<>(Side.class);
        for (Side side : of)
            answers.put(side, run(step, side, stamp, now));
        return answers;
    }

    Supplier<Map<Side, Answer>> askAtOnce(Step step, Collection<Side> of, long stamp, int now)
    {
        machine.session(); // opened before the sides race for it
        Map<Side, Supplier<Answer>> asked = new EnumMap<>(Side.class);
        of.forEach(side -> asked.put(side, AtOnce.start(() -> run(step, side, stamp, now))));
        return () ->
        {
            Map<Side, Answer> answers = new EnumMap<>(Side.class);
            asked.forEach((side, answer) -> answers.put(side, answer.get()));
            return answers;
        };
    }

    String table(Side side)
    {
        return name + '_' + side.name().toLowerCase();
    }

    String cql(Step step, Side side)
    {
        return step.cql.replace("{t}", keyspace + '.' + table(side)).replace("{m}", side.isStock() ? "trie" : "cassiterite")
                       .replace("{x}", table(side)).replace("{k}", keyspace);
    }

    Answer run(Step step, Side side, long stamp, int now)
    {
        String cql = cql(step, side);
        if (step.kind.equals("create index"))
            cql += side.using();
        if (side == Side.FILTER && isQuery(step) && !cql.endsWith(" ALLOW FILTERING"))
            cql += " ALLOW FILTERING";
        if (fault != null && side == last())
            cql = fault.spoil(step, cql);
        if (cql == null)
            return new Answer();
        Answer answer = Wire.run(machine.session(), cql, step.binds, stamp, step.pageSize, now, table(side));
        for (int i = 0; i < BUILD_POLLS_MAX && isBuilding(answer); i++)
        {
            Pause.millis(BUILD_POLL_MILLIS);
            answer = Wire.run(machine.session(), cql, step.binds, stamp, step.pageSize, now, table(side));
        }
        return answer;
    }

    private static boolean isBuilding(Answer answer)
    {
        return answer.error != null && answer.error.contains("[" + INDEX_NOT_AVAILABLE + "]");
    }
}
