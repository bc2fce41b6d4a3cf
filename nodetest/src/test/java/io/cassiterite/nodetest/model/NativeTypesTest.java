/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

/** Every native type, as a cell, as a clustering in both orders and as a partition key. */
@NodeTest
class NativeTypesTest
{
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "ascii     | ''; 'a'; 'ab'; '~'",
        "bigint    | 0; -1; 9223372036854775807; -9223372036854775808; blob_as_bigint(0x)",
        "blob      | 0x; 0x00; 0x0000; 0x00ff; 0xff00; 0x01fe",
        "boolean   | true; false; blob_as_boolean(0x)",
        "date      | '1970-01-01'; '0001-01-01'; '2262-04-11'",
        "decimal   | 0; 1.5; -1.5; 1E100; -1E-100; blob_as_decimal(0x)",
        "double    | 0; -0.0; NaN; Infinity; -Infinity; 4.9E-324; blob_as_double(0x)",
        "float     | 0; -0.0; NaN; Infinity; -Infinity; 1.4E-45; blob_as_float(0x)",
        "inet      | '127.0.0.1'; '::1'; '2001:db8::7'; '0.0.0.0'; blob_as_inet(0x)",
        "int       | 0; -1; 2147483647; -2147483648; blob_as_int(0x)",
        "smallint  | 0; -1; 32767; -32768",
        "text      | ''; 'a'; '\u00e9'; '\u6f22\u5b57'; 'a''b'",
        "time      | '00:00:00'; '23:59:59.999999999'; '12:00:00'",
        "timestamp | 0; -1; '2024-02-29T12:00:00Z'; blob_as_timestamp(0x)",
        "timeuuid  | 50554d6e-29bb-11e5-b345-feff819cdc9f; 50554d6e-29bb-11e5-b345-feff819cdc9e; blob_as_timeuuid(0x)",
        "tinyint   | 0; -1; 127; -128",
        "uuid      | 00000000-0000-0000-0000-000000000000; 7b0fa8b5-7d7c-4c5c-9b7c-1c2d3e4f5a6b; blob_as_uuid(0x)",
        "varint    | 0; -1; 127; 128; -129; 123456789012345678901234567890; blob_as_varint(0x)",
        "vector<float, 3> | [1, 2, 3]; [-0.0, 1.5, 0]; [0, 0, 0]",
    })
    void comesBackAsWritten(String type, String values, Cql cql)
    {
        TwinTables keys = TwinTables.create(cql, "k", "p " + type + " PRIMARY KEY, v int");
        TwinTables rows = TwinTables.create(cql, "r", "p int, a " + type + ", d " + type + ", v " + type + ", PRIMARY KEY (p, a, d)",
                                            "AND CLUSTERING ORDER BY (a ASC, d DESC)");
        for (String value : values.split(";"))
        {
            keys.run("INSERT INTO T (p, v) VALUES (" + value + ", 1) USING TIMESTAMP 10");
            for (String other : values.split(";"))
                rows.run("INSERT INTO T (p, a, d, v) VALUES (0, " + value + ", " + other + ", " + value + ") USING TIMESTAMP 10");
        }
        keys.sameAndNotEmpty();
        rows.sameAndNotEmpty();
        for (String value : values.split(";"))
        {
            keys.run("SELECT * FROM T WHERE p = " + value);
            rows.run("SELECT * FROM T WHERE p = 0 AND a = " + value);
            rows.run("SELECT * FROM T WHERE p = 0 AND a > " + value);
            rows.run("SELECT * FROM T WHERE p = 0 AND a = " + value + " AND d >= " + value);
            rows.run("SELECT * FROM T WHERE p = 0 AND a <= " + value + " ORDER BY a DESC");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = { "duration | 1mo; -1d; 3h20m; 0s; 1y2mo3d4h" })
    void comesBackWithoutAnOrder(String type, String values, Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "u", "p int PRIMARY KEY, v " + type + ", l list<" + type + ">");
        int p = 0;
        for (String value : values.split(";"))
            twin.run("INSERT INTO T (p, v, l) VALUES (" + p++ + ", " + value + ", [" + value + "])");
        twin.sameAndNotEmpty();
    }
}
