/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

/** IN, slices, order, limits, paging, tokens, filtering, GROUP BY, aggregates, JSON, WRITETIME and TTL. */
@NodeTest
class SelectsTest
{
    private TwinTables twin;

    @BeforeEach
    void fill(Cql cql)
    {
        if (twin != null)
            return;
        twin = TwinTables.create(cql, "selects", "p int, a int, b text, v int, d double, m map<text, int>, s text static, PRIMARY KEY "
                + "(p, a, b)",
                                 "AND CLUSTERING ORDER BY (a DESC, b ASC)");
        for (int p = 0; p < 8; p++)
        {
            if (p % 3 == 0)
                twin.run("INSERT INTO T (p, s) VALUES (" + p + ", 's" + p + "') USING TIMESTAMP 5");
            for (int n = 0; n < p * 2; n++)
                twin.run("INSERT INTO T (p, a, b, v, d, m) VALUES (" + p + ", " + n % 4 + ", '" + n / 4 + "', " + n + ", " + n
                        + ".5, {'k': " + n
                         + "}) USING TIMESTAMP " + (10 + n) + (n % 5 == 0 ? " AND TTL 5000" : ""));
        }
        twin.run("DELETE FROM T USING TIMESTAMP 1000 WHERE p = 5 AND a = 2");
        twin.run("DELETE FROM T USING TIMESTAMP 1000 WHERE p = 6 AND a > 0 AND a < 3");
        twin.run("DELETE FROM T USING TIMESTAMP 1000 WHERE p = 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT * FROM T", "SELECT * FROM T LIMIT 7", "SELECT * FROM T PER PARTITION LIMIT 2",
        "SELECT * FROM T PER PARTITION LIMIT 2 LIMIT 5",
        "SELECT * FROM T WHERE p IN (7, 1, 3, 99) PER PARTITION LIMIT 1", "SELECT * FROM T WHERE p = 7 AND a IN (3, 0) AND b IN ('0', '2')",
        "SELECT * FROM T WHERE p = 7 AND (a, b) > (1, '1')", "SELECT * FROM T WHERE p = 7 AND a >= 1 AND a < 3 ORDER BY a ASC LIMIT 4",
        "SELECT * FROM T WHERE p = 7 ORDER BY a ASC, b DESC", "SELECT * FROM T WHERE p = 6 ORDER BY a DESC",
        "SELECT p, s FROM T WHERE p = 0",
        "SELECT DISTINCT p, s FROM T", "SELECT DISTINCT p FROM T WHERE token(p) > 0", "SELECT * FROM T WHERE token(p) > token(4)",
        "SELECT * FROM T WHERE token(p) >= token(2) AND token(p) <= token(7)", "SELECT * FROM T WHERE token(p) < -9223372036854775807",
        "SELECT * FROM T WHERE v = 3 ALLOW FILTERING", "SELECT * FROM T WHERE v > 2 AND a = 1 ALLOW FILTERING",
        "SELECT * FROM T WHERE s = 's6' ALLOW FILTERING", "SELECT * FROM T WHERE m CONTAINS 3 ALLOW FILTERING",
        "SELECT * FROM T WHERE m['k'] = 4 ALLOW FILTERING", "SELECT * FROM T WHERE b = '1' LIMIT 3 ALLOW FILTERING",
        "SELECT * FROM T WHERE v = 3",
        "SELECT count(*), sum(v), avg(d), min(b), max(a) FROM T", "SELECT count(*), avg(v) FROM T WHERE p = 99",
        "SELECT count(v) FROM T WHERE p = 7",
        "SELECT p, a, count(*), sum(d) FROM T GROUP BY p, a", "SELECT p, max(v) FROM T GROUP BY p LIMIT 3",
        "SELECT p, a, b, v FROM T GROUP BY p, a PER PARTITION LIMIT 2", "SELECT a, count(*) FROM T WHERE p = 7 GROUP BY a ORDER BY a ASC",
        "SELECT JSON * FROM T", "SELECT JSON p, s, v FROM T WHERE p = 6", "SELECT p, a, writetime(v), ttl(v), writetime(m), ttl(m) FROM T",
        "SELECT p, writetime(s), maxwritetime(m), token(p) FROM T", "SELECT CAST(v AS text), m['k'], to_json(m) FROM T WHERE p = 2",
        "SELECT v FROM T WHERE p = 7 AND a = 1 AND b = 'none'", "SELECT * FROM T WHERE p = 7 AND b = '1'", "SELECT nothing FROM T" })
    void answersAlike(String select)
    {
        twin.run(select);
        for (int pageRows : new int[]{ 1, 2, 3, 10 })
            twin.readPaged(select, pageRows);
    }
}
