/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import io.cassiterite.nodetest.Cql;

/** Values of all types, in cells and in keys: the driver decodes what it gets, and encodes it again for the next request. */
final class TypedReads implements Scenario
{
    /** Types, each with a literal. */
    private static final String[][] NATIVE = {
        { "ascii", "'abc'" }, { "bigint", "-9223372036854775808" }, { "blob", "0x00ff" }, { "boolean", "true" },
        { "date", "'2024-02-29'" }, { "decimal", "-1.50" }, { "double", "4.9E-324" }, { "float", "-1.5" },
        { "inet", "'2001:db8::7'" }, { "int", "-7" }, { "smallint", "-300" }, { "text", "'\u6f22\u5b57'" },
        { "time", "'23:59:59.999999999'" }, { "timestamp", "'2024-02-29T12:00:00.123Z'" },
        { "timeuuid", "50554d6e-29bb-11e5-b345-feff819cdc9f" }, { "tinyint", "-1" },
        { "uuid", "7b0fa8b5-7d7c-4c5c-9b7c-1c2d3e4f5a6b" }, { "varint", "-123456789012345678901234567890" },
    };
    /** Those that cannot be keys here, or need more than one word. */
    private static final String[][] OTHER = {
        { "duration", "1mo2d3h" }, { "vector<float, 3>", "[1, -2.5, 0]" }, { "list<int>", "[3, 1, 2]" },
        { "set<text>", "{'b', 'a', ''}" }, { "map<text, bigint>", "{'x': 1, 'y': -1}" },
        { "frozen<list<frozen<map<int, text>>>>", "[{1: 'a'}, {}, {2: 'b', 3: ''}]" },
        { "tuple<int, text, boolean>", "(1, 'x', null)" }, { "frozen<tuple<int, frozen<list<int>>>>", "(1, [1, 2])" },
        { "drivers.address", "{street: 's', numbers: {1, 2}, code: null}" },
        { "frozen<drivers.address>", "{street: null, numbers: {}, code: (1, 'z')}" },
        { "map<text, frozen<drivers.address>>", "{'home': {street: 'h', numbers: {3}}}" },
    };

    @Override
    public void create(Cql cql)
    {
        cql.run("CREATE TYPE drivers.address (street text, numbers frozen<set<int>>, code frozen<tuple<int, text>>)");
        cql.run("CREATE TABLE drivers.cells (k int PRIMARY KEY" + columns("c", NATIVE) + columns("d", OTHER)
                + ") WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO drivers.cells (k" + names("c", NATIVE, "") + names("d", OTHER, "") + ") VALUES (1" + literals(NATIVE)
                + literals(OTHER) + ')');
        cql.run("INSERT INTO drivers.cells (k) VALUES (2)");
        cql.run("CREATE TABLE drivers.keys (k int" + columns("p", NATIVE) + columns("c", NATIVE) + ", v text, PRIMARY KEY ((k"
                + names("p", NATIVE, "") + ')' + names("c", NATIVE, "") + ")) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO drivers.keys (k" + names("p", NATIVE, "") + names("c", NATIVE, "") + ", v) VALUES (1" + literals(NATIVE)
                + literals(NATIVE) + ", 'found')");
    }

    @Override
    public void run(Run run)
    {
        run.prepare("cells", "SELECT * FROM drivers.cells WHERE k = ?");
        run.warm("cells", 1);
        for (int k = 1; k <= 3; k++)
            run.execute("cells", k);
        run.query("SELECT k" + names("p", NATIVE, "") + names("c", NATIVE, "") + " FROM drivers.keys");
        run.prepare("keys", "SELECT * FROM drivers.keys WHERE k = ?" + restrictions("p") + restrictions("c"));
        Object[] key = new Object[1 + 2 * NATIVE.length];
        for (int i = 0; i < key.length; i++)
            key[i] = new DriverSession.Cell(i);
        // The columns of the key come first in the table's rows, too: each answer has the values of the next request.
        run.warm("keys", key);
        run.execute("keys", key);
    }

    private static String restrictions(String prefix)
    {
        return names(prefix, NATIVE, " = ?").replace(",", " AND");
    }

    private static String columns(String prefix, String[][] types)
    {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < types.length; i++)
            text.append(", ").append(name(prefix, i)).append(' ').append(types[i][0]);
        return text.toString();
    }

    private static String names(String prefix, String[][] types, String suffix)
    {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < types.length; i++)
            text.append(", ").append(name(prefix, i)).append(suffix);
        return text.toString();
    }

    /** Two digits, for columns sort by name. */
    private static String name(String prefix, int number)
    {
        return prefix + (10 + number);
    }

    private static String literals(String[][] types)
    {
        StringBuilder text = new StringBuilder();
        for (String[] type : types)
            text.append(", ").append(type[1]);
        return text.toString();
    }
}
