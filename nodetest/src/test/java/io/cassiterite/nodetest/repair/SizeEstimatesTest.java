/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.util.List;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D16: the estimates from which analytic jobs make their splits include engine tables. */
@NodeTest
class SizeEstimatesTest
{
    private static final String KEYSPACE = "sizeestimatestest";
    private static final int PARTITIONS = 4000;
    private static final String VALUE = "y".repeat(300);

    private final Node node;
    private final Cql cql;

    SizeEstimatesTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    @Test
    void estimatesAreTrueInMemoryAndOnDisk()
    {
        cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        for (int k = 0; k < PARTITIONS; k++)
            cql.run("INSERT INTO t (k, v) VALUES (?, ?)", k, VALUE);
        assertTrueEstimates("in memory");
        node.flush(KEYSPACE);
        assertTrueEstimates("on disk");
        cql.run("TRUNCATE t");
        node.nodetool("refreshsizeestimates").success();
        assertEquals(0, partitions(estimates("size_estimates", "")));
    }

    private void assertTrueEstimates(String when)
    {
        node.nodetool("refreshsizeestimates").success();
        for (List<Row> estimates : List.of(estimates("size_estimates", ""),
                                           estimates("table_estimates", " AND range_type = 'primary'"),
                                           estimates("table_estimates", " AND range_type = 'local_primary'")))
        {
            long partitions = partitions(estimates);
            assertTrue(partitions > PARTITIONS / 2 && partitions < PARTITIONS * 2, when + ": " + partitions + " partitions");
            for (Row row : estimates)
                assertEquals(row.getLong("partitions_count") > 0, row.getLong("mean_partition_size") > 0,
                             when + ": " + row.getFormattedContents());
        }
    }

    private List<Row> estimates(String table, String more)
    {
        return cql.rows("SELECT * FROM system." + table + " WHERE keyspace_name = '" + KEYSPACE + "' AND table_name = 't'" + more);
    }

    private static long partitions(List<Row> estimates)
    {
        return estimates.stream().mapToLong(row -> row.getLong("partitions_count")).sum();
    }
}
