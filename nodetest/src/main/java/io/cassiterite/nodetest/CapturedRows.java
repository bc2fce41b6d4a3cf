/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.db.commitlog.CommitLogDescriptor;
import org.apache.cassandra.db.commitlog.CommitLogReadHandler;
import org.apache.cassandra.db.commitlog.CommitLogReader;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaTransformations;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Tables;

/**
 * Reads what Cassandra has put into cdc_raw, as consumers of CDC do: with Cassandra's own reader, in a process of its own, which
 * has Cassandra's jars and not the plug-in.
 */
public final class CapturedRows implements CommitLogReadHandler
{
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final TableId table;

    private CapturedRows(TableId table)
    {
        this.table = table;
    }

    /**
     * @param columns of a table whose key is an int, as in CREATE TABLE
     * @return the keys of the captured writes
     */
    public static Set<Integer> keys(Node node, Cql cql, String keyspace, String table, String columns)
    {
        String id = cql.rows("SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", keyspace, table).get(0)
                       .getUuid("id").toString();
        String classes = CapturedRows.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        List<String> command = List.of("java", "@" + Checkout.root().resolve("config/jvm17.options"), "-Xmx256m", "-cp",
                                       Checkout.root().resolve("build/cassandra/lib") + "/*:" + classes, CapturedRows.class.getName(),
                                       node.base().resolve("cdc_raw").toString(), id, keyspace,
                                       "CREATE TABLE " + table + ' ' + columns);
        String output = Command.run(command, BOUND).success();
        return output.lines().filter(line -> line.startsWith("captured ")).map(line -> Integer.valueOf(line.substring(9)))
                     .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Prints the keys: the folder, the table's id, its keyspace, its definition. */
    public static void main(String[] arguments) throws IOException
    {
        Path captured = Path.of(arguments[0]);
        initialize(captured, Files.createTempDirectory(captured.getParent(), "reader"));
        TableMetadata table = CreateTableStatement.parse(arguments[3], arguments[2]).id(TableId.fromString(arguments[1])).build();
        Schema.instance.transform(SchemaTransformations.addKeyspace(
            KeyspaceMetadata.create(arguments[2], KeyspaceParams.simple(1), Tables.of(table)), true));
        try (Stream<Path> files = Files.list(captured))
        {
            for (Path file : files.filter(path -> path.toString().endsWith(".log")).sorted().collect(Collectors.toList()))
                new CommitLogReader().readCommitLogSegment(new CapturedRows(table.id), new File(file), CommitLogReader.ALL_MUTATIONS, true);
        }
        System.exit(0);
    }

    private static void initialize(Path captured, Path own) throws IOException
    {
        Path yaml = own.resolve("reader.yaml");
        Files.write(yaml, List.of("partitioner: org.apache.cassandra.dht.Murmur3Partitioner", "commitlog_sync: periodic",
                                  "commitlog_sync_period: 10s", "endpoint_snitch: SimpleSnitch", "cdc_enabled: true",
                                  "data_file_directories: [" + own + "/data]", "commitlog_directory: " + own + "/log",
                                  "cdc_raw_directory: " + captured, "saved_caches_directory: " + own + "/caches",
                                  "hints_directory: " + own + "/hints",
                                  "seed_provider: [{class_name: org.apache.cassandra.locator.SimpleSeedProvider,"
                                  + " parameters: [{seeds: 127.0.0.1}]}]"));
        System.setProperty("cassandra.config", yaml.toUri().toString());
        DatabaseDescriptor.toolInitialization();
    }

    @Override
    public boolean shouldSkipSegmentOnError(CommitLogReadException exception)
    {
        return false;
    }

    @Override
    public void handleUnrecoverableError(CommitLogReadException exception) throws IOException
    {
        throw exception;
    }

    @Override
    public void handleMutation(Mutation mutation, int size, int entryLocation, CommitLogDescriptor descriptor)
    {
        if (mutation.getTableIds().contains(table))
            System.out.println("captured " + Int32Type.instance.compose(mutation.key().getKey()));
    }
}
