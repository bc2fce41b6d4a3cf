/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Tables of one shape with the same indexes, one a side, which get the same statements at the same second. An index
 * that is still being built refuses queries: they are asked again until it has been. One thread.
 */
final class IndexedTables implements Tables
{
    private final Machine machine;
    private final SideTables tables;
    private final Stamping stamping;
    private final IndexComparison comparison;
    /** Of each side, the names of its indexes: SAI refuses some that the others have. */
    private final Map<Side, Set<String>> indexes = new EnumMap<>(Side.class);

    /** @param fault spoils what the last side gets, null for none */
    IndexedTables(Machine machine, String keyspace, String name, List<Side> sides, Twin.Fault fault, IndexTally tally)
    {
        this.machine = machine;
        this.tables = new SideTables(machine, keyspace, name, sides, fault);
        this.stamping = new Stamping(machine);
        this.comparison = new IndexComparison(tally);
        sides.forEach(side -> indexes.put(side, new HashSet<>()));
    }

    @Override
    public String keyspace()
    {
        return tables.keyspace;
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
                return maintain(step, tables.sides().subList(0, tables.sides().size() - 1));
            case FLUSH_ENGINE:
            case COMPACT_ENGINE:
                return maintain(step, List.of(tables.last()));
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

    private Outcome maintain(Step step, List<Side> of)
    {
        boolean flush = step.action == Step.Action.FLUSH_STOCK || step.action == Step.Action.FLUSH_ENGINE;
        try
        {
            maintain(of, table -> {
                if (flush)
                    machine.flush(tables.keyspace, table);
                else
                    machine.compact(tables.keyspace, table);
            });
        }
        catch (RuntimeException e)
        {
            return Outcome.broken(step.describe() + " failed: " + e);
        }
        return Outcome.done();
    }

    /** Shrinking may have removed a table. */
    private void maintain(List<Side> of, Consumer<String> work)
    {
        for (Side side : of)
        {
            try
            {
                work.accept(tables.table(side));
            }
            catch (RuntimeException e)
            {
                if (!String.valueOf(e.getMessage()).contains("Unknown keyspace/cf pair"))
                    throw e;
            }
        }
    }

    @Override
    public void beforeKill()
    {
        List<Side> stock = new ArrayList<>(tables.sides());
        stock.removeIf(side -> !side.isStock());
        maintain(stock, table -> machine.flush(tables.keyspace, table));
    }

    private Outcome statement(Step step)
    {
        if (step.kind.equals("create") && step.cql.contains(OddValues.COMMENT))
        {
            tables.leaveOut(Side.LEGACY);
            comparison.oddValues();
        }
        long stamp = stamping.before(step);
        int now = evaluatedAt(step);
        Map<Side, Answer> answers = step.kind.endsWith(" index") ? changeIndexes(step)
                                    : Stamping.isSchema(step) ? changeTables(step)
                                    : tables.ask(step, tables.sides(), stamp, now);
        stamping.after(step);
        return outcome(step, answers, now);
    }

    @Override
    public List<Supplier<Outcome>> begin(List<Step> steps)
    {
        if (!steps.stream().allMatch(SideTables::isQuery))
            return Tables.super.begin(steps);
        return steps.stream().map(this::begin).collect(Collectors.toList());
    }

    private Supplier<Outcome> begin(Step query)
    {
        int now = evaluatedAt(query);
        Supplier<Map<Side, Answer>> answers = tables.askAtOnce(query, tables.sides(), Step.SERVER_STAMP, now);
        return () -> outcome(query, answers.get(), now);
    }

    private int evaluatedAt(Step step)
    {
        return (int) (nowSeconds() + (step.read ? step.seconds : 0));
    }

    private Outcome outcome(Step step, Map<Side, Answer> answers, int now)
    {
        if (answers.values().stream().allMatch(answer -> answer.unreachable))
            return Outcome.unreachable(answers.values().iterator().next().error);
        boolean query = SideTables.isQuery(step);
        String difference = query ? ofQuery(step, answers, now) : comparison.ofAll(step, answers);
        String error = answers.values().iterator().next().error;
        if (difference == null)
            return Outcome.alike(error);
        StringBuilder text = new StringBuilder(difference).append("\n  statement: ").append(step.describe());
        answers.forEach((side, answer) -> text.append("\n  ").append(side.name().toLowerCase()).append(": ").append(answer.describe()));
        if (query)
            text.append("\n  asked again: ").append(ofQuery(step, tables.ask(step, tables.sides(), Step.SERVER_STAMP, now), now) != null
                                                    ? "still differs" : "THE SAME");
        return Outcome.differs(text.toString(), error != null);
    }

    private String ofQuery(Step step, Map<Side, Answer> answers, int now)
    {
        Answer bare = answers.get(Side.FILTER);
        if (bare.error == null && answers.values().stream().anyMatch(answer -> answer.error != null))
            bare = Wire.run(machine.session(), tables.cql(step, Side.FILTER), step.binds, Step.SERVER_STAMP, step.pageSize, now,
                            tables.table(Side.FILTER));
        boolean saiHasAll = indexes.values().stream().allMatch(indexes.get(Side.SAI)::containsAll);
        return comparison.ofQuery(step, answers, bare, saiHasAll, side -> isRightWhole(step, side, now));
    }

    /** Without limits, in one page. */
    private boolean isRightWhole(Step step, Side side, int now)
    {
        Step whole = Step.read(step.kind, step.cql.replaceAll("( PER PARTITION)? LIMIT \\d+", ""), 5000, step.seconds, step.binds);
        return IndexComparison.rows(tables.run(whole, Side.FILTER, Step.SERVER_STAMP, now),
                                    tables.run(whole, side, Step.SERVER_STAMP, now)) == null;
    }

    private Map<Side, Answer> changeIndexes(Step step)
    {
        Set<Side> of = EnumSet.noneOf(Side.class);
        String index = step.cql.replaceAll(".*\\{x}_(\\w+).*", "$1");
        boolean creates = step.kind.equals("create index");
        for (Side side : tables.sides())
            if (side.hasIndexes() && (creates || side != Side.SAI || indexes.get(side).contains(index)))
                of.add(side);
        Map<Side, Answer> answers = tables.ask(step, of, Step.SERVER_STAMP, (int) nowSeconds());
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
        Set<Side> strict = EnumSet.copyOf(tables.sides());
        strict.remove(Side.FILTER);
        if (strict.size() > 1)
            strict.remove(Side.SAI);
        Map<Side, Answer> answers = tables.ask(step, strict, step.stampMicros, (int) nowSeconds());
        if (answers.values().stream().allMatch(answer -> answer.error == null))
        {
            Set<Side> others = EnumSet.copyOf(tables.sides());
            others.removeAll(strict);
            answers.putAll(tables.ask(step, others, step.stampMicros, (int) nowSeconds()));
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
        for (Side side : tables.sides())
        {
            if (!side.isStock())
                continue;
            for (String memtable : new String[]{ "skiplist", "trie" })
                machine.session().execute("ALTER TABLE " + tables.keyspace + '.' + tables.table(side) + " WITH memtable = '" + memtable
                                          + '\'');
            machine.flush(tables.keyspace, tables.table(side));
        }
    }
}
