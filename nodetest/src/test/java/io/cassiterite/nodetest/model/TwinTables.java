/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.RowText;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * A stock table and an engine table of one shape; {@code T} in a statement stands for the table. Statements run on both
 * at the same second of evaluation, and whatever they answer must be the same. One thread.
 */
public final class TwinTables
{
    private static final AtomicInteger CREATED = new AtomicInteger();

    private final Cql cql;
    private final String name;
    /** Seconds since the epoch at which statements are evaluated; tests move it, the node's clock stays. */
    private int nowSeconds = (int) (System.currentTimeMillis() / 1000);

    /** Tables that exist. */
    public TwinTables(Cql cql, String name)
    {
        this.cql = cql;
        this.name = name;
    }

    /** Creates both tables under names of their own; {@code options} may be empty or begin with AND. */
    static TwinTables create(Cql cql, String name, String columns, String options)
    {
        return named(cql, name + CREATED.incrementAndGet(), columns, options);
    }

    /** Creates both tables, which must not exist. */
    static TwinTables named(Cql cql, String name, String columns, String options)
    {
        return named(cql, name, columns, options, "cassiterite");
    }

    /** Creates both tables, which must not exist; the second one with another memtable configuration than the engine's. */
    public static TwinTables named(Cql cql, String name, String columns, String options, String memtable)
    {
        TwinTables twin = new TwinTables(cql, name);
        for (String side : new String[]{ "stock", "engine" })
        {
            cql.run("CREATE TABLE " + name + '_' + side + " (" + columns + ") WITH memtable = '"
                    + (side.equals("stock") ? "trie" : memtable) + "' " + options);
        }
        return twin;
    }

    static TwinTables create(Cql cql, String name, String columns)
    {
        return create(cql, name, columns, "");
    }

    public String engine()
    {
        return name + "_engine";
    }

    String stock()
    {
        return name + "_stock";
    }

    /** Lets time pass for the statements that follow. */
    void later(int seconds)
    {
        nowSeconds += seconds;
    }

    /** Runs on both and compares the answers. */
    public void run(String statement)
    {
        assertEquals(answer(statement, stock(), 5000), answer(statement, engine(), 5000), statement);
    }

    /** Reads from both, compares rows as bytes, and returns the engine's as text. */
    public List<String> read(String select)
    {
        run(select);
        List<String> texts = new ArrayList<>();
        execute(select, engine(), 5000).forEach(row -> texts.add(RowText.readable(row)));
        return texts;
    }

    /** Reads from both in pages of so many rows, and compares rows and page ends. */
    void readPaged(String select, int pageRows)
    {
        assertEquals(answer(select, stock(), pageRows), answer(select, engine(), pageRows), select + " in pages of " + pageRows);
    }

    /** Reads the whole table in several ways from both. */
    public void same()
    {
        same(2);
    }

    private void same(int pageRows)
    {
        for (String select : new String[]{ "SELECT * FROM T", "SELECT JSON * FROM T" })
            run(select);
        readPaged("SELECT * FROM T", pageRows);
    }

    /** The same; fails if the table is empty. */
    public void sameAndNotEmpty()
    {
        sameAndNotEmpty(2);
    }

    /** The same in pages of so many rows. */
    public void sameAndNotEmpty(int pageRows)
    {
        same(pageRows);
        assertFalse(read("SELECT * FROM T").isEmpty());
    }

    /** @return lines: rows in hexadecimal, ends of pages, or the error */
    private List<String> answer(String statement, String table, int pageRows)
    {
        List<String> lines = new ArrayList<>();
        try
        {
            ResultSet result = execute(statement, table, pageRows);
            while (true)
            {
                boolean last = result.isFullyFetched();
                for (int i = result.getAvailableWithoutFetching(); i > 0; i--)
                    lines.add(RowText.exact(result.one()));
                if (last)
                    return lines;
                lines.add("page ends");
                if (!result.iterator().hasNext())
                    return lines;
            }
        }
        catch (CoordinatorException e)
        {
            return List.of(e.getClass().getSimpleName() + ": " + e.getMessage().replace(table, "T"));
        }
    }

    private ResultSet execute(String statement, String table, int pageRows)
    {
        return cql.session().execute(SimpleStatement.newInstance(statement.replaceAll("\\bT\\b", table)).setPageSize(pageRows)
                                                    .setNowInSeconds(nowSeconds));
    }

    /** Values for the markers of a prepared statement; null is null, an absent index is unset. */
    void bind(String statement, Object... values)
    {
        cql.run(statement.replaceAll("\\bT\\b", stock()), values);
        cql.run(statement.replaceAll("\\bT\\b", engine()), values);
    }

    /** @return the rows of the engine's table */
    List<Row> rows(String select)
    {
        return execute(select, engine(), 5000).all();
    }
}
