/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.spark;

import java.util.List;
import java.util.Map;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.sum;

/** A Spark application: SparkTables HOST PORT KEYSPACE. It prints what each step gave, the same lines for the same answers. */
public final class SparkTables
{
    private static final int ROWS = 20_000;
    private static final String FORMAT = "org.apache.spark.sql.cassandra";

    private final SparkSession spark;
    private final String keyspace;

    private SparkTables(SparkSession spark, String keyspace)
    {
        this.spark = spark;
        this.keyspace = keyspace;
    }

    public static void main(String[] arguments)
    {
        try (SparkSession spark = SparkSession.builder().master("local[2]").appName("tables")
                                              .config("spark.ui.enabled", "false")
                                              .config("spark.driver.host", "127.0.0.1")
                                              .config("spark.driver.bindAddress", "127.0.0.1")
                                              .config("spark.sql.shuffle.partitions", "2")
                                              .config("spark.sql.extensions", "com.datastax.spark.connector.CassandraSparkExtensions")
                                              .config("spark.sql.catalog.node", "com.datastax.spark.connector.datasource.CassandraCatalog")
                                              .config("spark.cassandra.connection.host", arguments[0])
                                              .config("spark.cassandra.connection.port", arguments[1])
                                              .config("spark.cassandra.connection.localDC", "datacenter1")
                                              .config("spark.cassandra.input.split.sizeInMB", "1").getOrCreate())
        {
            SparkTables tables = new SparkTables(spark, arguments[2]);
            tables.write();
            tables.scan();
            tables.pushDown();
            tables.join();
            tables.replace();
        }
    }

    private void write()
    {
        spark.sql("CREATE TABLE node." + keyspace + ".kinds (kind STRING, name STRING, weight INT) USING cassandra PARTITIONED BY (kind)");
        Dataset<Row> measured = spark.range(ROWS).select(
            col("id").mod(200).cast("int").as("sensor"), col("id").divide(200).cast("int").as("at"),
            col("id").multiply(1.5).as("value"), concat(lit("kind "), col("id").mod(7)).as("kind"),
            array(concat(lit("t"), col("id").mod(3)), lit("all")).as("tags"));
        save(measured, "measured", SaveMode.Append);
        save(measured.where("sensor < 3 AND at < 5").drop("tags", "kind"), "expiring", SaveMode.Append);
        save(spark.range(7).select(concat(lit("kind "), col("id")).as("kind"), concat(lit("name "), col("id")).as("name"),
                                   col("id").cast("int").as("weight")), "kinds", SaveMode.Append);
    }

    private void save(Dataset<Row> rows, String table, SaveMode mode)
    {
        Map<String, String> options = table.equals("expiring")
                                      ? Map.of("spark.cassandra.output.ttl", "1000000", "spark.cassandra.output.timestamp", "1234567890")
                                      : Map.of();
        rows.write().format(FORMAT).option("keyspace", keyspace).option("table", table).option("confirm.truncate", "true").options(options)
            .mode(mode).save();
    }

    private Dataset<Row> table(String name)
    {
        return spark.table("node." + keyspace + "." + name);
    }

    private void scan()
    {
        print("count", List.of(table("measured").count()));
        show("whole", table("measured").selectExpr("count(*)", "sum(value)", "min(at)", "max(at)",
                                                   "sum(hash(sensor, at, value, kind, tags))"));
        show("groups", table("measured").groupBy("kind").agg(sum("value"), max("at")).orderBy("kind"));
        show("expiring", table("expiring").orderBy("sensor", "at"));
    }

    /** What the plan leaves to the node, and what comes back. */
    private void pushDown()
    {
        for (String where : List.of("sensor = 7", "sensor = 7 AND at > 90", "sensor IN (3, 5, 199) AND at = 10",
                                    "kind = 'kind 3' AND at < 2", "sensor = 8 AND at >= 10 AND at < 12", "value < 10", "sensor = 100000"))
        {
            Dataset<Row> rows = table("measured").where(where).orderBy("sensor", "at");
            String plan = rows.queryExecution().executedPlan().toString();
            print("pushed", plan.lines().filter(line -> line.contains("Cassandra Filters"))
                                .map(line -> line.replaceAll(".*(Cassandra Filters: .*?\\]\\]).*", "$1")).toList());
            show(where, rows);
        }
    }

    private void join()
    {
        Dataset<Row> keys = spark.range(195, 205).select(col("id").cast("int").as("wanted"));
        spark.conf().set("directJoinSetting", "on");
        Dataset<Row> joined = keys.join(table("measured"), col("wanted").equalTo(col("sensor"))).where("at % 50 = 0")
                                  .join(table("kinds"), "kind").orderBy("sensor", "at").select("sensor", "at", "value", "name", "weight");
        print("direct", List.of(joined.queryExecution().executedPlan().toString().contains("Cassandra Direct Join")));
        show("joined", joined);
    }

    private void replace()
    {
        save(table("measured").where("sensor < 2 AND at < 3"), "replaced", SaveMode.Append);
        show("once", table("replaced").orderBy("sensor", "at"));
        save(table("measured").where("sensor = 5 AND at < 3"), "replaced", SaveMode.Overwrite);
        show("replaced", table("replaced").orderBy("sensor", "at"));
    }

    private static void show(String step, Dataset<Row> rows)
    {
        print(step, rows.collectAsList());
    }

    private static void print(String step, List<?> results)
    {
        results.forEach(result -> System.out.println("> " + step + ": " + result));
    }
}
