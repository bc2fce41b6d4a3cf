/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Collectors;

/** One step of a random history: a statement for both tables of a twin, or an event of the node. Immutable. */
final class Step
{
    enum Action
    {
        STATEMENT, FLUSH_STOCK, FLUSH_ENGINE, COMPACT_STOCK, COMPACT_ENGINE, RESTART, KILL, JUMP, VERIFY
    }

    /** The value of a bind marker. */
    enum Bind
    {
        NULL, UNSET, EMPTY
    }

    /** The statement has no timestamp of the client: the server's clock gives it, so the two sides differ a little. */
    static final long SERVER_STAMP = Long.MIN_VALUE;
    /** The statement has the client's time of execution, equal on both sides. */
    static final long CLOCK_STAMP = Long.MIN_VALUE + 1;

    final Action action;
    /** Its name in the report. */
    final String kind;
    /** CQL with {t} for the table's name, {m} for its memtable, {x} for what begins the names of its indexes. */
    final String cql;
    /**
     * Of a read: what gives a stock table's answer to {@link #cql} in its first columns; null if cql does. Of a row whose INSERT
     * has expired, stock tables leave out cells that the query does not name, and so lose it: if its writes lie in one memtable
     * or sstable, or if the query names the row. With all regular columns in the query they never do, wherever the writes lie.
     * So the answer to this one is right at any time, whenever the tables are flushed.
     */
    final String stockCql;
    final List<Bind> binds;
    /** Of a prepared statement: the values of its variables, for each time that it is executed; empty for all others. */
    final List<List<ByteBuffer>> executions;
    final long stampMicros;
    final int pageSize;
    final boolean read;
    /** Of JUMP: how far the node's clock goes forward; of a read: how far ahead of the clock it is asked. */
    final long seconds;
    /** When it first ran, in seconds since its table was created, by the node's clock. */
    final long atSeconds;

    private Step(Action action, String kind, String cql, List<Bind> binds, long stampMicros, int pageSize, boolean read, long seconds)
    {
        this.action = action;
        this.kind = kind;
        this.cql = cql;
        this.stockCql = null;
        this.binds = binds;
        this.executions = List.of();
        this.stampMicros = stampMicros;
        this.pageSize = pageSize;
        this.read = read;
        this.seconds = seconds;
        this.atSeconds = 0;
    }

    private Step(Step step, String stockCql, List<List<ByteBuffer>> executions, long atSeconds)
    {
        this.action = step.action;
        this.kind = step.kind;
        this.cql = step.cql;
        this.stockCql = stockCql;
        this.binds = step.binds;
        this.executions = executions;
        this.stampMicros = step.stampMicros;
        this.pageSize = step.pageSize;
        this.read = step.read;
        this.seconds = step.seconds;
        this.atSeconds = atSeconds;
    }

    Step at(long secondsSinceCreation)
    {
        return new Step(this, stockCql, executions, secondsSinceCreation);
    }

    /** @param statement see {@link #stockCql}; null for none */
    Step askingStock(String statement)
    {
        return new Step(this, statement, executions, atSeconds);
    }

    /** @return the same statement, prepared and executed once with each of these values, a write a microsecond later each time */
    Step executing(List<List<ByteBuffer>> values)
    {
        return new Step(this, stockCql, values, atSeconds);
    }

    static Step write(String kind, String cql, List<Bind> binds, long stampMicros)
    {
        return new Step(Action.STATEMENT, kind, cql, binds, stampMicros, 5000, false, 0);
    }

    static Step read(String kind, String cql, int pageSize, long aheadSeconds)
    {
        return new Step(Action.STATEMENT, kind, cql, List.of(), SERVER_STAMP, pageSize, true, aheadSeconds);
    }

    static Step read(String kind, String cql, int pageSize, long aheadSeconds, List<Bind> binds)
    {
        return new Step(Action.STATEMENT, kind, cql, binds, SERVER_STAMP, pageSize, true, aheadSeconds);
    }

    static Step node(Action action)
    {
        return new Step(action, action.name().toLowerCase(), null, List.of(), 0, 0, false, 0);
    }

    static Step jump(long seconds)
    {
        return new Step(Action.JUMP, "clock jump", null, List.of(), 0, 0, false, seconds);
    }

    boolean touchesNode()
    {
        return action == Action.RESTART || action == Action.KILL || action == Action.JUMP;
    }

    /** @return the step as a line of a script for a reader */
    String describe()
    {
        if (action == Action.JUMP)
            return "-- clock jumps by " + seconds + " s";
        if (action != Action.STATEMENT)
            return "-- " + action.name().toLowerCase().replace('_', ' ');
        StringBuilder line = new StringBuilder(cql).append(';');
        if (!binds.isEmpty())
            line.append(" -- bound: ").append(binds);
        if (!executions.isEmpty())
            line.append(" -- prepared, executed with: ").append(executions.stream().map(Step::hex).distinct().collect(Collectors.toList()));
        if (stampMicros == CLOCK_STAMP)
            line.append(" -- client timestamp: its clock");
        else if (stampMicros != SERVER_STAMP)
            line.append(" -- client timestamp: ").append(stampMicros);
        if (read && pageSize < 5000)
            line.append(" -- page size ").append(pageSize);
        if (read && seconds > 0)
            line.append(" -- asked ").append(seconds).append(" s ahead of the clock");
        if (stockCql != null)
            line.append(" -- of stock: ").append(stockCql);
        return line.toString();
    }

    /** @return the values of one execution, for a reader */
    static String hex(List<ByteBuffer> values)
    {
        return values.stream().map(value -> value == Wire.UNSET ? "unset" : Answer.hex(Wire.bytes(value)))
                     .collect(Collectors.joining(", ", "(", ")"));
    }
}
