/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.prometheus.jmx.JavaAgent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.FreePorts;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Prometheus' exporter, with the rules that are shipped, gives just the metrics that config/monitoring lists. */
@Tag("surface")
@Timeout(600)
class ExportedMetricsTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final Path MONITORING = Checkout.root().resolve("config/monitoring");
    private static final Pattern OURS = Pattern.compile("^(cassiterite_\\w+)[{ ]", Pattern.MULTILINE);
    private static final String OF_TABLE = "cassiterite_table_writes{keyspace=\"exported\",table=\"t\"} 1.0";

    @Test
    void theListIsWhatANodeHas() throws Exception
    {
        int port = FreePorts.next("127.0.0.1");
        String agent = JavaAgent.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        String options = "-javaagent:" + agent + "=127.0.0.1:" + port + ":" + MONITORING.resolve("jmx-exporter.yml");
        try (Node node = Node.named("exported").jvm(options).start();
             Cql cql = node.cql())
        {
            cql.freshKeyspace("exported");
            cql.run("CREATE TABLE exported.t (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO exported.t (k) VALUES (1)");
            Await.until("the exporter has the table", BOUND, () -> scrape(port).contains(OF_TABLE));
            Await.untilAsserted(BOUND, () -> assertEquals(listed(), exported(scrape(port))));
            assertTrue(scrape(port).contains("org_apache_cassandra_metrics_"), "Cassandra's own metrics are missing");
        }
    }

    private static String scrape(int port) throws IOException, InterruptedException
    {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).timeout(BOUND).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private static TreeSet<String> exported(String text)
    {
        TreeSet<String> names = new TreeSet<>();
        Matcher ours = OURS.matcher(text);
        while (ours.find())
            names.add(ours.group(1));
        return names;
    }

    private static TreeSet<String> listed() throws IOException
    {
        TreeSet<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(MONITORING.resolve("metrics.tsv")).stream().skip(1).toList())
        {
            String[] columns = line.split("\t");
            names.add("cassiterite_" + columns[0] + '_' + columns[1]);
        }
        return names;
    }
}
