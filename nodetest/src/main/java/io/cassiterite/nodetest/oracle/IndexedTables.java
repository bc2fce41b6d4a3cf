/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.cassiterite.nodetest.Pause;

/**
 * Tables of one shape with the same indexes, one a side, which get the same statements at the same second. An index
 * that is still being built refuses queries: they are asked again until it has been. One thread.
 */
final class IndexedTables implements Tables
{
    /** Cassandra's code of this reason. */
    private static final int INDEX_NOT_AVAILABLE = 6;
    private static final int BUILD_POLL_MILLIS = 20;
    private static final int BUILD_POLLS_MAX = 1500;

    private final Machine machine;
    private final String keyspace;
    private final String name;
    private List<Side> sides;
    private final Twin.Fault fault;
    private final Stamping stamping;
    private final IndexComparison comparison;
    /** Of each side, the names of its indexes: SAI refuses some that the others have. */
    private final Map<Side, Set<String>> indexes = new EnumMap<>(Side.class);

    /** @param fault spoils what the last side gets, null for none */
    IndexedTables(Machine machine, String keyspace, String name, List<Side> sides, Twin.Fault fault, IndexTally tally)
    {
        this.machine = machine;
        this.keyspace = keyspace;
        this.name = name;
        this.sides = sides;
        this.fault = fault;
        this.stamping = new Stamping(machine);
        this.comparison = new IndexComparison(tally);
        sides.forEach(side -> indexes.put(side, new HashSet<>()));
    }

    @Override
    public String keyspace()
    {
        return keyspace;
    }

    @Override
    public long nowSeconds()
    {
        return System.currentTimeMillis() / 1000 + machine.clockOffsetSeconds();
    }

    @Override
    public Outcome run(Step step)
    {
        switch (step.action)
        {
            case STATEMENT:
                return statement(step);
            case FLUSH_STOCK:
            case COMPACT_STOCK:
                return maintain(step, sides.subList(0, sides.size() - 1));
            case FLUSH_ENGINE:
            case COMPACT_ENGINE:
                return maintain(step, List.of(last()));
            case RESTART:
                machine.restart();
                return Outcome.done();
            case KILL:
                beforeKill();
                machine.kill();
                return Outcome.done();
            case JUMP:
                machine.jump(step.seconds);
                return Outcome.done();
            default:
                return Outcome.done();
        }
    }

    private Side last()
    {
        return sides.get(sides.size() - 1);
    }

    private Outcome maintain(Step step, List<Side> of)
    {
        boolean flush = step.action == Step.Action.FLUSH_STOCK || step.action == Step.Action.FLUSH_ENGINE;
        for (Side side : of)
        {
            try
            {
                if (flush)
                    machine.flush(keyspace, table(side));
                else
                    machine.compact(keyspace, table(side));
            }
            catch (RuntimeException e)
            {
                if (!String.valueOf(e.getMessage()).contains("Unknown keyspace/cf pair"))
                    return Outcome.broken(step.describe() + " failed: " + e);
            }
        }
        return Outcome.done();
    }

    @Override
    public void beforeKill()
    {
        List<Side> stock = new ArrayList<>(sides);
        stock.removeIf(side -> !side.isStock());
        maintain(Step.node(Step.Action.FLUSH_STOCK), stock);
    }

    private Outcome statement(Step step)
    {
        if (step.kind.equals("create") && step.cql.contains(OddValues.COMMENT))
        {
            sides = new ArrayList<>(sides);
            sides.remove(Side.LEGACY);
            comparison.oddValues();
        }
        long stamp = stamping.before(step);
        int now = (int) (nowSeconds() + (step.read ? step.seconds : 0));
        Map<Side, Answer> answers = step.kind.endsWith(" index") ? changeIndexes(step)
                                    : Stamping.isSchema(step) ? changeTables(step)
                                    : ask(step, sides, stamp, now);
        stamping.after(step);
        if (answers.values().stream().allMatch(answer -> answer.unreachable))
            return Outcome.unreachable(answers.values().iterator().next().error);
        boolean query = isQuery(step);
        String difference = query ? ofQuery(step, answers, now) : comparison.ofAll(step, answers);
        String error = answers.values().iterator().next().error;
        if (difference == null)
            return Outcome.alike(error);
        StringBuilder text = new StringBuilder(difference).append("\n  statement: ").append(step.describe());
        answers.forEach((side, answer) -> text.append("\n  ").append(side.name().toLowerCase()).append(": ").append(answer.describe()));
        if (query)
            text.append("\n  asked again: ").append(ofQuery(step, ask(step, sides, stamp, now), now) != null
                                                    ? "still differs" : "THE SAME");
        return Outcome.differs(text.toString(), error != null);
    }

    private static boolean isQuery(Step step)
    {
        return step.kind.startsWith("index ");
    }

    private String ofQuery(Step step, Map<Side, Answer> answers, int now)
    {
        Answer bare = answers.get(Side.FILTER);
        if (bare.error == null && answers.values().stream().anyMatch(answer -> answer.error != null))
            bare = Wire.run(machine.session(), cql(step, Side.FILTER), step.binds, Step.SERVER_STAMP, step.pageSize, now,
                            table(Side.FILTER));
        boolean saiHasAll = indexes.values().stream().allMatch(indexes.get(Side.SAI)::containsAll);
        return comparison.ofQuery(step, answers, bare, saiHasAll, side -> isRightWhole(step, side, now));
    }

    /** Without limits, in one page. */
    private boolean isRightWhole(Step step, Side side, int now)
    {
        Step whole = Step.read(step.kind, step.cql.replaceAll("( PER PARTITION)? LIMIT \\d+", ""), 5000, step.seconds, step.binds);
        return IndexComparison.rows(run(whole, Side.FILTER, Step.SERVER_STAMP, now), run(whole, side, Step.SERVER_STAMP, now)) == null;
    }

    private Map<Side, Answer> ask(Step step, Collection<Side> of, long stamp, int now)
    {
        Map<Side, Answer> answers = new EnumMap<>(Side.class);
        if (isQuery(step))
        {
            machine.session(); // opened before the sides race for it
            Map<Side, Supplier<Answer>> asked = new EnumMap<>(Side.class);
            of.forEach(side -> asked.put(side, AtOnce.start(() -> run(step, side, stamp, now))));
            asked.forEach((side, answer) -> answers.put(side, answer.get()));
            return answers;
        }
        for (Side side : of)
            answers.put(side, run(step, side, stamp, now));
        return answers;
    }

    private Map<Side, Answer> changeIndexes(Step step)
    {
        Set<Side> of = EnumSet.noneOf(Side.class);
        String index = step.cql.replaceAll(".*\\{x}_(\\w+).*", "$1");
        boolean creates = step.kind.equals("create index");
        for (Side side : sides)
            if (side.hasIndexes() && (creates || side != Side.SAI || indexes.get(side).contains(index)))
                of.add(side);
        Map<Side, Answer> answers = ask(step, of, Step.SERVER_STAMP, (int) nowSeconds());
        answers.forEach((side, answer) ->
        {
            if (answer.error == null && creates)
                indexes.get(side).add(index);
            else if (answer.error == null)
                indexes.get(side).remove(index);
        });
        return answers;
    }

    /** What an index forbids is not done to the table that has none. */
    private Map<Side, Answer> changeTables(Step step)
    {
        // SAI may lack indexes
        Set<Side> strict = EnumSet.copyOf(sides);
        strict.remove(Side.FILTER);
        if (strict.size() > 1)
            strict.remove(Side.SAI);
        Map<Side, Answer> answers = ask(step, strict, step.stampMicros, (int) nowSeconds());
        if (answers.values().stream().allMatch(answer -> answer.error == null))
        {
            Set<Side> others = EnumSet.copyOf(sides);
            others.removeAll(strict);
            answers.putAll(ask(step, others, step.stampMicros, (int) nowSeconds()));
            if (step.kind.equals("drop"))
                indexes.values().forEach(Set::clear);
            if (step.kind.equals("alter drop"))
                renewStockMemtables();
        }
        return answers;
    }

    /** As {@link Twin} does, for the same reason. */
    private void renewStockMemtables()
    {
        for (Side side : sides)
        {
            if (!side.isStock())
                continue;
            for (String memtable : new String[]{ "skiplist", "trie" })
                machine.session().execute("ALTER TABLE " + keyspace + '.' + table(side) + " WITH memtable = '" + memtable + '\'');
            machine.flush(keyspace, table(side));
        }
    }

    private String table(Side side)
    {
        return name + '_' + side.name().toLowerCase();
    }

    private String cql(Step step, Side side)
    {
        return step.cql.replace("{t}", keyspace + '.' + table(side)).replace("{m}", side.isStock() ? "trie" : "cassiterite")
                       .replace("{x}", table(side)).replace("{k}", keyspace);
    }

    private Answer run(Step step, Side side, long stamp, int now)
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
