/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.List;

/**
 * A driver's session with one node: what the tests ask of every driver. Answers are lines of text, in which values and
 * types have the driver's own forms; an error is one line. Bind variables take an Integer, a String, null, {@link Unset},
 * a {@link Cell}, or all of them {@link Named} values. One thread.
 */
interface DriverSession extends AutoCloseable
{
    /** What {@link #page} says last where a page follows, with its paging state in hexadecimal. */
    String NEXT = "next ";
    String LAST = "last";
    String ERROR = "error ";

    /** Leaves a bind variable without a value. */
    enum Unset
    {
        UNSET
    }

    /** A value for the bind variable of this name. */
    record Named(String name, Object value)
    {
    }

    /** The value that a column of the latest row has: the driver has decoded it, and encodes it again. */
    record Cell(int column)
    {
    }

    /**
     * Prepares a statement.
     *
     * @return what the driver knows of its variables and columns
     */
    List<String> prepare(String statement, String cql);

    /** @return columns and rows of all pages, which the driver fetches by itself */
    List<String> execute(String statement, int pageRows, Object... values);

    /**
     * Reads one page.
     *
     * @param state from a page before; null for the first
     * @return columns and rows, and {@link #NEXT} or {@link #LAST}
     */
    List<String> page(String statement, int pageRows, String state, Object... values);

    /** Executes a statement of one variable with 0, 1, 2 and so on, all at once. @return the answers, in this order */
    List<String> concurrently(String statement, int count);

    /** Runs a statement that is not prepared. */
    List<String> query(String cql);

    /** Makes a keyspace the session's own. */
    List<String> use(String keyspace);

    /** @return what the driver knows of a keyspace and its tables */
    List<String> keyspace(String name);

    /** @return what the driver knows of the nodes, and which of them have a key */
    List<String> nodes();

    @Override
    void close();
}
