/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.ProtocolVersion;

/**
 * A real Cassandra node in a process of its own, on a loopback address, with everything in build/nodes/NAME. Every wait
 * is bounded, and the process never outlives this JVM. One thread drives a node; its log, clock and CQL are thread-safe.
 */
public final class Node implements AutoCloseable
{
    private static final Duration START_BOUND = Duration.ofSeconds(300);
    private static final Duration STOP_BOUND = Duration.ofSeconds(180);
    private static final Duration KILL_BOUND = Duration.ofSeconds(60);
    private static final Duration NODETOOL_BOUND = Duration.ofSeconds(300);
    private static final int POLL_MILLIS = 50;
    private static final int CONNECT_MILLIS = 1000;

    private final NodeBuilder options;
    private final int cqlPort;
    private final int storagePort;
    private final int jmxPort;
    private final NodeLog log;
    private final Path clockFile;
    private NodeClock clock;
    private NodeProcess process;

    Node(NodeBuilder options)
    {
        this.options = options;
        cqlPort = FreePorts.next(options.address);
        storagePort = options.storagePort > 0 ? options.storagePort : FreePorts.next(options.address);
        jmxPort = FreePorts.next("127.0.0.1");
        log = new NodeLog(options.base.resolve("logs/system.log"));
        clockFile = options.base.resolve("clock");
    }

    /** Begins the description of a node; {@code name} is its folder under build/nodes. */
    public static NodeBuilder named(String name)
    {
        return new NodeBuilder(name);
    }

    /** Starts the node and returns when it answers CQL; fails with the node's own error. */
    public Node start()
    {
        launch();
        long deadlineNanos = System.nanoTime() + START_BOUND.toNanos();
        while (!acceptsCql())
        {
            if (!process.isAlive())
                throw new IllegalStateException("node " + options.name + " did not start: " + trouble());
            if (System.nanoTime() > deadlineNanos)
            {
                process.kill(KILL_BOUND);
                throw new IllegalStateException("node " + options.name + " was not up within " + START_BOUND + ": "
                                                + trouble());
            }
            Pause.millis(POLL_MILLIS);
        }
        return this;
    }

    /** Starts a node that must refuse to, and returns its error; fails if it starts. */
    public String startRefused()
    {
        launch();
        long deadlineNanos = System.nanoTime() + START_BOUND.toNanos();
        while (process.isAlive())
        {
            if (acceptsCql() || System.nanoTime() > deadlineNanos)
            {
                process.kill(KILL_BOUND);
                throw new AssertionError("node " + options.name + " started, but should have refused to");
            }
            Pause.millis(POLL_MILLIS);
        }
        process.awaitEnd(KILL_BOUND);
        return trouble();
    }

    private void launch()
    {
        if (isRunning())
            throw new IllegalStateException("node " + options.name + " runs already");
        log.mark();
        process = NodeProcess.start(command(), options.environment, options.base.resolve("logs/console.log"));
    }

    private List<String> command()
    {
        clock();
        List<String> command = new ArrayList<>(List.of(
            Checkout.root().resolve("scripts/node").toString(),
            "--base", options.base.toString(), "--address", options.address,
            "--cql-port", Integer.toString(cqlPort), "--storage-port", Integer.toString(storagePort),
            "--jmx-port", Integer.toString(jmxPort), "--heap", options.heap,
            "--die-with", Long.toString(ProcessHandle.current().pid()),
            "--classpath", classpath(),
            "--jvm", "-Dcassandra.clock=" + JumpingClock.class.getName(),
            "--jvm", "-D" + JumpingClock.FILE_PROPERTY + "=" + clockFile));
        if (options.seeds != null)
            command.addAll(List.of("--seeds", options.seeds));
        if (options.stock)
            command.add("--stock");
        if (options.tuned)
            command.add("--fast");
        options.yaml.forEach((key, value) -> command.addAll(List.of("--yaml", key + ": " + value)));
        options.jvmOptions.forEach(option -> command.addAll(List.of("--jvm", option)));
        return command;
    }

    private String classpath()
    {
        return Stream.concat(Stream.of(harnessClasses()), options.classpath.stream().map(Path::toString))
                     .collect(Collectors.joining(":"));
    }

    private static String harnessClasses()
    {
        return Path.of(JumpingClock.class.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
    }

    private boolean acceptsCql()
    {
        try (Socket socket = new Socket())
        {
            socket.connect(new InetSocketAddress(options.address, cqlPort), CONNECT_MILLIS);
            return true;
        }
        catch (IOException e)
        {
            return false;
        }
    }

    private String trouble()
    {
        return process.console() + "\n" + log.lastTrouble();
    }

    /** Kills the node as a power cut of the process would: SIGKILL. */
    public void killNine()
    {
        running().kill(KILL_BOUND);
    }

    /** Freezes the node: SIGSTOP. Its connections stay open. */
    public void freeze()
    {
        running().signal("STOP");
    }

    /** Resumes a frozen node: SIGCONT. */
    public void thaw()
    {
        running().signal("CONT");
    }

    /** Stops the node cleanly (SIGTERM) and waits for its end. */
    public void stop()
    {
        NodeProcess stopping = running();
        stopping.terminate();
        if (!stopping.awaitEnd(STOP_BOUND))
        {
            stopping.kill(KILL_BOUND);
            throw new IllegalStateException("node " + options.name + " did not stop within " + STOP_BOUND + ": "
                                            + trouble());
        }
    }

    /** Stops cleanly and starts again. CQL connections made before are closed by the node: connect anew. */
    public void restart()
    {
        stop();
        start();
    }

    /** Waits for a node that ends by itself (say, by its disk failure policy) and returns its exit code. */
    public int awaitEnd(Duration bound)
    {
        if (!process.awaitEnd(bound))
            throw new AssertionError("node " + options.name + " still runs after " + bound);
        return process.exitCode();
    }

    /** Kills the node if it runs. Its folder stays, to be examined. */
    @Override
    public void close()
    {
        if (isRunning())
            process.kill(KILL_BOUND);
    }

    public boolean isRunning()
    {
        return process != null && process.isAlive();
    }

    private NodeProcess running()
    {
        if (!isRunning())
            throw new IllegalStateException("node " + options.name + " does not run"
                                            + (process == null ? "" : ": " + trouble()));
        return process;
    }

    /** Runs nodetool on this node, for example {@code nodetool("flush", "ks")}. */
    public Output nodetool(String... arguments)
    {
        List<String> command = new ArrayList<>(List.of(Checkout.root().resolve("scripts/nodetool").toString(),
                                                       "-h", "127.0.0.1", "-p", Integer.toString(jmxPort)));
        command.addAll(Arrays.asList(arguments));
        return Command.run(command, NODETOOL_BOUND);
    }

    /** Flushes tables, or a whole keyspace if none are named: {@link Jmx#flush}. */
    public void flush(String keyspace, String... tables)
    {
        try (Jmx jmx = jmx())
        {
            jmx.flush(keyspace, tables);
        }
    }

    /** Compacts tables, or a whole keyspace if none are named: {@link Jmx#compact}. */
    public void compact(String keyspace, String... tables)
    {
        try (Jmx jmx = jmx())
        {
            jmx.compact(keyspace, tables);
        }
    }

    /** Loads a snapshot of an engine table, as operators do. */
    public Output snapshotLoad(String keyspace, String table, Path folder)
    {
        return tool("SnapshotLoad", keyspace, table, folder.toString());
    }

    /** Restores a node's tables, as operators do: {@code restore("tag", "--run")}. */
    public Output restore(String... arguments)
    {
        return tool("Restore", arguments);
    }

    /** Says which way rows move, as operators do: {@code move("ks", "table", "out")}, {@code move("status")}. */
    public Output move(String... arguments)
    {
        return tool("Move", arguments);
    }

    /** Says which way rows move, as {@link #move} does without the second that a process of its own costs. */
    public void direct(String keyspace, String table, String direction)
    {
        try (Jmx jmx = jmx())
        {
            jmx.direct(keyspace, table, direction);
        }
    }

    /** @return what {@code move("status")} prints */
    public String moves()
    {
        try (Jmx jmx = jmx())
        {
            return (String) jmx.attribute(Jmx.ENGINE, "Moves");
        }
    }

    /** Waits until all sstables of a keyspace have moved in. */
    public void awaitMovedIn(String keyspace, Duration bound)
    {
        Await.until("no sstables beside the engine", bound, () -> !moves().contains(keyspace));
    }

    private Output tool(String name, String... arguments)
    {
        List<String> command = new ArrayList<>(List.of("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                                                       Checkout.jar().toString(), "io.cassiterite.tools." + name, "127.0.0.1",
                                                       Integer.toString(jmxPort)));
        command.addAll(Arrays.asList(arguments));
        return Command.run(command, NODETOOL_BOUND);
    }

    /** @return a new CQL connection; the caller closes it */
    public Cql cql()
    {
        return Cql.connect(cqlAddress(), null);
    }

    /** @return a new CQL connection that uses a keyspace, which must exist; the caller closes it */
    public Cql cql(String keyspace)
    {
        return Cql.connect(cqlAddress(), keyspace);
    }

    /** @return a new CQL connection of this protocol version; the caller closes it */
    public Cql cql(String keyspace, ProtocolVersion protocol)
    {
        return Cql.connect(cqlAddress(), keyspace, protocol);
    }

    /** @return a new JMX connection; the caller closes it */
    public Jmx jmx()
    {
        return new Jmx(jmxPort);
    }

    /** @return the node's system.log since its last start */
    public NodeLog log()
    {
        return log;
    }

    /** @return the node's wall clock */
    public synchronized NodeClock clock()
    {
        if (clock == null)
        {
            Checkout.create(options.base);
            clock = new NodeClock(clockFile);
        }
        return clock;
    }

    /** @return the folder with conf, data, commitlog, logs and the files of the plug-in */
    public Path base()
    {
        return options.base;
    }

    public long pid()
    {
        return running().pid();
    }

    public String name()
    {
        return options.name;
    }

    public String address()
    {
        return options.address;
    }

    public int storagePort()
    {
        return storagePort;
    }

    /** @return on 127.0.0.1 */
    public int jmxPort()
    {
        return jmxPort;
    }

    public InetSocketAddress cqlAddress()
    {
        return new InetSocketAddress(options.address, cqlPort);
    }
}
