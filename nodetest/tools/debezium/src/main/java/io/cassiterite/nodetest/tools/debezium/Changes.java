/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.debezium;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.debezium.config.Configuration;
import io.debezium.connector.cassandra.Cassandra5ConnectorTask;
import io.debezium.connector.cassandra.CassandraConnectorConfig;
import io.debezium.connector.cassandra.CassandraConnectorContext;
import io.debezium.connector.cassandra.CassandraConnectorTaskTemplate;
import io.debezium.connector.cassandra.ComponentFactory;
import io.debezium.connector.cassandra.Emitter;
import io.debezium.connector.cassandra.FileOffsetWriter;
import io.debezium.connector.cassandra.OffsetWriter;
import io.debezium.connector.cassandra.Record;
import org.apache.kafka.connect.data.Struct;

/**
 * Debezium's connector beside a node: Changes HOST PORT CASSANDRA_YAML FOLDER LAST. It prints each change instead of sending it to Kafka,
 * and ends with the change that has the text LAST.
 */
public final class Changes extends Cassandra5ConnectorTask
{
    private static final int BOUND_SECONDS = 240;

    private final CountDownLatch last = new CountDownLatch(1);

    public static void main(String[] arguments) throws Exception
    {
        Path folder = Path.of(arguments[3]);
        Changes changes = new Changes();
        CassandraConnectorConfig settings = new CassandraConnectorConfig(settings(arguments, folder));
        CassandraConnectorTaskTemplate task = changes.init(settings, changes.receiver(arguments[4]));
        Thread thread = new Thread(() -> run(task), "connector");
        thread.setDaemon(true);
        thread.start();
        System.exit(changes.last.await(BOUND_SECONDS, TimeUnit.SECONDS) ? 0 : 1);
    }

    private static void run(CassandraConnectorTaskTemplate task)
    {
        try
        {
            task.start();
        }
        catch (Exception e)
        {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static Configuration settings(String[] arguments, Path folder) throws IOException
    {
        Path driver = Files.write(folder.resolve("driver.conf"), List.of(
            "datastax-java-driver.basic.contact-points = [\"" + arguments[0] + ":" + arguments[1] + "\"]",
            "datastax-java-driver.basic.load-balancing-policy.local-datacenter = datacenter1",
            "datastax-java-driver.basic.request.timeout = 60s"));
        String json = "org.apache.kafka.connect.json.JsonConverter";
        return Configuration.create().with("topic.prefix", "changes").with("snapshot.mode", "NEVER")
                            .with("cassandra.config", arguments[2]).with("cassandra.driver.config.file", driver.toString())
                            .with("cassandra.cluster.name", "Cassiterite").with("cassandra.node.id", "one")
                            .with("commit.log.relocation.dir", Files.createDirectories(folder.resolve("relocated")).toString())
                            .with("offset.backing.store.dir", Files.createDirectories(folder.resolve("offsets")).toString())
                            .with("commit.log.real.time.processing.enabled", true).with("commit.log.marked.complete.poll.interval.ms", 1000)
                            .with("cdc.dir.poll.interval.ms", 1000).with("key.converter", json).with("value.converter", json).build();
    }

    private ComponentFactory receiver(String lastText)
    {
        return new ComponentFactory()
        {
            @Override
            public OffsetWriter offsetWriter(CassandraConnectorConfig config)
            {
                try
                {
                    return new FileOffsetWriter(config);
                }
                catch (IOException e)
                {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public Emitter recordEmitter(CassandraConnectorContext context)
            {
                return new Printer(lastText);
            }
        };
    }

    private final class Printer implements Emitter
    {
        private final String lastText;

        Printer(String lastText)
        {
            this.lastText = lastText;
        }

        @Override
        public synchronized void emit(Record change)
        {
            Struct value = change.buildValue();
            String after = String.valueOf(value.get("after"));
            System.out.println("> " + change.getOp() + " " + change.getSource().keyspaceTable + " "
                               + after.replaceAll("\\d{13,16}", "<time>"));
            if (after.contains(lastText))
                last.countDown();
        }

        @Override
        public void close()
        {
        }
    }
}
