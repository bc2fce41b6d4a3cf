/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A null for a clustering column, in each protocol version. As the bound of a range to delete it is refused; a stock table
 * lets the client wait for its timeout. All else is as in a stock table.
 */
@NodeTest
class NullBoundsTest
{
    private static final String INSERT = "INSERT INTO T (p, a, b, v) VALUES (1, 9, 9, 9)";
    private static final List<String> RANGES =
        List.of("p = 1 AND a >= ?", "p = 1 AND a > ?", "p = 1 AND a < ?", "p = 1 AND a <= ?", "p = 1 AND a > ? AND a < 2",
                "p = 1 AND a = 1 AND b >= ?", "p = 1 AND a = 1 AND b < ?", "p = 1 AND a IN (1, 2) AND b > ?", "p IN (1, 2) AND a >= ?");
    private static final List<String> OTHERS =
        List.of("p = 1 AND a = ?", "p = 1 AND a = ? AND b = 1", "p = 1 AND a IN ? AND b = 1", "p = 1 AND a IN (1, ?) AND b = 1",
                "p = 1 AND (a, b) >= (1, ?)", "p = 1 AND (a, b) > ?", "p = 1 AND a > 0 AND a < ?");

    private final Node node;
    private TwinTables twin;
    private Cql cql;
    private List<String> before;

    NullBoundsTest(Node node)
    {
        this.node = node;
    }

    @BeforeEach
    void fill(Cql any)
    {
        twin = TwinTables.create(any, "bounds", "p int, a int, b int, v int, s int static, PRIMARY KEY (p, a, b)",
                                 "AND CLUSTERING ORDER BY (a ASC, b DESC)");
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 2; b++)
                twin.run("INSERT INTO T (p, a, b, v, s) VALUES (1, " + a + ", " + b + ", 1, 1)");
        before = twin.read("SELECT * FROM T");
    }

    private void connect(DefaultProtocolVersion version)
    {
        cql = node.cql(NullBoundsTest.class.getSimpleName().toLowerCase(), version);
    }

    @AfterEach
    void disconnect()
    {
        if (cql != null)
            cql.close();
    }

    @ParameterizedTest
    @EnumSource(value = DefaultProtocolVersion.class, names = { "V3", "V4", "V5" })
    void asABoundOfARangeToDeleteItIsRefused(DefaultProtocolVersion version)
    {
        connect(version);
        for (String range : RANGES)
            assertRefused(bind("DELETE FROM T WHERE " + range));
        assertRefused(simple("DELETE FROM T WHERE p = 1 AND a >= null"));
        assertRefused(SimpleStatement.newInstance(engine("DELETE FROM T WHERE p = 1 AND a >= ?"), new Object[]{ null }));
        assertRefused(SimpleStatement.newInstance(engine("DELETE FROM T WHERE p = :p AND a >= :a"), named()));
    }

    private static Map<String, Object> named()
    {
        Map<String, Object> values = new HashMap<>();
        values.put("a", null);
        values.put("p", 1);
        return values;
    }

    @ParameterizedTest
    @EnumSource(value = DefaultProtocolVersion.class, names = { "V3", "V4", "V5" })
    void aBatchWithSuchADeletionIsRefusedAsAWhole(DefaultProtocolVersion version)
    {
        connect(version);
        for (BatchType type : List.of(BatchType.LOGGED, BatchType.UNLOGGED))
            assertRefused(BatchStatement.newInstance(type, simple(INSERT), bind("DELETE FROM T WHERE p = 1 AND a >= ?")));
        for (String kind : List.of("BATCH", "UNLOGGED BATCH"))
            assertRefused(bind("BEGIN " + kind + ' ' + INSERT + "; DELETE FROM T WHERE p = 1 AND a >= ?; APPLY BATCH"));
        assertRefused(BatchStatement.newInstance(BatchType.LOGGED, simple(INSERT.replace("(1,", "(2,")),
                                                 bind("DELETE FROM T WHERE p = 1 AND a >= ?")));
    }

    /** Else Paxos would accept what no replica can then write, and every later transaction on the partition would fail. */
    @ParameterizedTest
    @EnumSource(value = DefaultProtocolVersion.class, names = { "V3", "V4", "V5" })
    void aTransactionIsRefusedBeforePaxosBegins(DefaultProtocolVersion version)
    {
        connect(version);
        String update = "UPDATE T SET s = 2 WHERE p = 1 IF s = 1";
        assertRefused(bind("BEGIN BATCH " + update + "; DELETE FROM T WHERE p = 1 AND a >= ?; APPLY BATCH"));
        assertRefused(BatchStatement.newInstance(BatchType.LOGGED, simple(update), bind("DELETE FROM T WHERE p = 1 AND a >= ?")));
        cql.run(engine(update));
        assertEquals(List.of("s=2"), cql.texts(engine("SELECT DISTINCT s FROM T WHERE p = 1")));
    }

    @ParameterizedTest
    @EnumSource(value = DefaultProtocolVersion.class, names = { "V3", "V4", "V5" })
    void elsewhereItIsAsInAStockTable(DefaultProtocolVersion version)
    {
        connect(version);
        for (String range : RANGES)
            assertSame("SELECT * FROM T WHERE " + range);
        for (String other : OTHERS)
        {
            assertSame("SELECT * FROM T WHERE " + other);
            assertSame("DELETE FROM T WHERE " + other);
            assertSame("BEGIN BATCH DELETE FROM T WHERE " + other + "; APPLY BATCH");
        }
        assertSame("INSERT INTO T (p, a, b, v) VALUES (1, ?, 1, 1)");
        assertSame("UPDATE T SET v = 1 WHERE p = 1 AND a = ? AND b = 1");
        assertSame("DELETE FROM T WHERE p = ? AND a >= 1");
        assertUntouched();
    }

    private void assertRefused(Statement<?> statement)
    {
        InvalidQueryException refusal = assertThrows(InvalidQueryException.class, () -> cql.session().execute(statement));
        assertTrue(refusal.getMessage().startsWith("Invalid null value in condition for column "), refusal.getMessage());
        assertUntouched();
    }

    private void assertUntouched()
    {
        assertEquals(before, twin.read("SELECT * FROM T"));
    }

    private void assertSame(String statement)
    {
        assertEquals(answer(statement, twin.stock()), answer(statement, twin.engine()), statement);
    }

    private String answer(String statement, String table)
    {
        try
        {
            return cql.exact(statement.replaceAll("\\bT\\b", table), new Object[]{ null }).toString();
        }
        catch (RuntimeException e)
        {
            return e.toString();
        }
    }

    private String engine(String statement)
    {
        return statement.replaceAll("\\bT\\b", twin.engine());
    }

    private SimpleStatement simple(String statement)
    {
        return SimpleStatement.newInstance(engine(statement));
    }

    /** With null for its only marker. */
    private BoundStatement bind(String statement)
    {
        return cql.session().prepare(engine(statement)).bind(new Object[]{ null });
    }
}
