/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Command;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Medusa with its backups in a folder. It stops nodes, and the test starts them: `scripts/python-env.sh medusa` has installed it. */
final class Medusa
{
    private static final Duration BOUND = Duration.ofMinutes(5);

    private final Path storage;

    /** @param first keeps the backups in its folder, those of others, too */
    Medusa(Node first)
    {
        storage = first.base().resolve("backups");
    }

    /** @param mode full or differential; @return what Medusa said */
    String backUp(Node node, String name, String mode)
    {
        String said = run(node, "backup", "--backup-name", name, "--mode", mode);
        // a snapshot that fails is told in the log alone, and the backup is then an empty one
        assertFalse(said.contains("ERROR"), said);
        assertTrue(said.contains("Backup done: " + name + " (" + mode + ")"), said);
        run(node, "verify", "--backup-name", name);
        return said;
    }

    /** Stops the node, and leaves it to be started. @param options which tables: --keyspace, --table */
    void restoreInPlace(Node node, String name, String... options)
    {
        restore(node, name, "--in-place", options);
    }

    /** Stops the node if it runs, and gives its cassandra.yaml the tokens of the one that was backed up. */
    void restoreOnto(Node node, String name, String... options)
    {
        restore(node, name, "--remote", options);
    }

    private void restore(Node node, String name, String kind, String... options)
    {
        List<String> arguments = new ArrayList<>(List.of("restore-node", "--backup-name", name, kind, "--no-verify", "--temp-dir",
                                                         Folders.fresh(node, "medusa").toString()));
        arguments.addAll(Arrays.asList(options));
        String said = run(node, arguments.toArray(String[]::new));
        assertTrue(said.contains("Starting Cassandra") && !said.contains("ERROR"), said);
        assertFalse(node.isRunning());
    }

    private String run(Node node, String... arguments)
    {
        Path settings = node.base().resolve("medusa.ini");
        write(settings, settings(node));
        List<String> command = new ArrayList<>(List.of("env", "TMPDIR=" + node.base(),
                                                       Checkout.root().resolve("build/medusa-venv/bin/medusa").toString(),
                                                       "--config-file", settings.toString()));
        command.addAll(Arrays.asList(arguments));
        return Command.run(command, BOUND).success();
    }

    private String settings(Node node)
    {
        // returns when the process has ended, as a service's does: what a node writes later would be among the restored files
        String stop = node.isRunning() ? "sh -c \"kill PID; while kill -0 PID 2> /dev/null; do sleep 0.1; done\"" : "true";
        return String.join("\n",
                           "[cassandra]",
                           "config_file = " + node.base().resolve("conf/cassandra.yaml"),
                           "stop_cmd = " + (node.isRunning() ? stop.replace("PID", Long.toString(node.pid())) : stop),
                           "start_cmd = true",
                           "nodetool_executable = " + Checkout.root().resolve("scripts/nodetool"),
                           "nodetool_flags =", // scripts/nodetool takes none of the JVM's
                           "nodetool_host = 127.0.0.1",
                           "nodetool_port = " + node.jmxPort(),
                           "resolve_ip_addresses = False",
                           "use_sudo = False",
                           "[storage]",
                           "storage_provider = local",
                           "base_path = " + storage,
                           "bucket_name = backups",
                           "fqdn = 127.0.0.1",
                           "use_sudo_for_restore = False",
                           "");
    }

    private static void write(Path file, String text)
    {
        try
        {
            Files.writeString(file, text);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
