/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.commitlog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.Snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Archives of the commit log have engine tables with {@code commit_log: true}, by the commands of docs/operating/commit-log.md. */
@Timeout(900)
class PointInTimeTest
{
    private static final DateTimeFormatter GMT = DateTimeFormatter.ofPattern("yyyy:MM:dd HH:mm:ss.SSS").withZone(ZoneOffset.UTC);
    private static final int APART_MILLIS = 50;

    @Test
    void aSnapshotAndTheArchiveGiveTheTableOfAnyTime() throws IOException
    {
        String name = "pointintime";
        Node node = LoggedNode.named(name).build();
        Path archive = Files.createDirectories(node.base().resolve("archive"));
        Path saved = node.base().resolve("saved");
        setArchiving(node, "archive_command=/bin/cp %path " + archive + "/%name");
        Instant wanted;
        String position;
        try (node)
        {
            node.start();
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("logged");
            }
            try (Cql cql = node.cql("logged"))
            {
                cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
                cql.run("INSERT INTO t (k, v) VALUES (1, 'in the snapshot')");
                cql.run("INSERT INTO t (k, v) VALUES (2, 'deleted after it')");
                Path engine = Snapshots.take(node, "logged", "t", "base");
                position = Files.readAllLines(engine.resolveSibling("cassiterite.commitlog")).get(1);
                copy(engine, saved);
                cql.run("INSERT INTO t (k, v) VALUES (3, 'after it')");
                cql.run("DELETE FROM t WHERE k = 2");
                Pause.millis(APART_MILLIS);
                wanted = Instant.now();
                Pause.millis(APART_MILLIS);
                cql.run("INSERT INTO t (k, v) VALUES (4, 'too late')");
                cql.run("DELETE FROM t WHERE k = 1");
            }
            node.nodetool("drain").success();
            node.stop();
            assertTrue(position.startsWith("snapshot_commitlog_position="), position);
            Path table = tableFolder(node);
            Files.delete(table.resolve("cassiterite.marker"));
            copy(saved, table.resolve(".cassiterite"));
        }
        NodeBuilder builder = LoggedNode.named(name).keep().jvm("-Dcassiterite.set_aside=logged.t")
                                        .jvm("-Dcassandra.replayList=logged.t");
        Node restored = builder.build();
        setArchiving(restored, "restore_command=/bin/cp -f %from %to", "restore_directories=" + archive,
                     "restore_point_in_time=" + GMT.format(wanted), position);
        try (restored)
        {
            restored.start();
            try (Cql cql = restored.cql("logged"))
            {
                assertEquals(List.of("k=1, v='in the snapshot'", "k=3, v='after it'"), cql.texts("SELECT * FROM t"));
            }
        }
    }

    @Test
    void anArchiveThatEachStartWouldReplayIsRefused() throws IOException
    {
        String name = "pointintime-ambiguous";
        try (Node node = LoggedNode.named(name).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace("logged");
            cql.run("CREATE TABLE logged.t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            node.nodetool("drain").success();
        }
        try (Node node = LoggedNode.named(name).keep().build())
        {
            setArchiving(node, "restore_command=/bin/cp -f %from %to", "restore_directories=" + node.base().resolve("none"));
            String refusal = node.startRefused();
            assertTrue(refusal.contains("each start would replay the archive"), refusal);
        }
        try (Node node = LoggedNode.named(name).keep().yaml(LoggedNode.KEY, "false").build())
        {
            setArchiving(node, "archive_command=/bin/true");
            String refusal = node.startRefused();
            assertTrue(refusal.contains("Add commit_log: true to the parameters"), refusal);
        }
        try (Node node = LoggedNode.named(name).keep().yaml(LoggedNode.KEY, "maybe").build())
        {
            setArchiving(node);
            String refusal = node.startRefused();
            assertTrue(refusal.contains("parameter commit_log=maybe is not possible, it is: true or false"), refusal);
        }
    }

    private static void setArchiving(Node node, String... lines) throws IOException
    {
        Path conf = Files.createDirectories(node.base().resolve("conf"));
        Files.write(conf.resolve("commitlog_archiving.properties"),
                    Stream.concat(Stream.of("precision=MICROSECONDS"), Stream.of(lines)).toList());
    }

    private static Path tableFolder(Node node) throws IOException
    {
        try (Stream<Path> folders = Files.list(node.base().resolve("data/logged")))
        {
            return folders.filter(folder -> folder.getFileName().toString().startsWith("t-")).findFirst().orElseThrow();
        }
    }

    private static void copy(Path from, Path to) throws IOException
    {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from))
        {
            for (Path file : (Iterable<Path>) files::iterator)
                Files.copy(file, to.resolve(file.getFileName()));
        }
    }
}
