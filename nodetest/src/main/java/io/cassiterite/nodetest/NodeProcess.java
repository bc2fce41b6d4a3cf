/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The process of one run of a node. When this JVM ends, however it ends, the process ends too. */
final class NodeProcess
{
    private static final Duration SIGNAL_BOUND = Duration.ofSeconds(60);

    private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();

    static
    {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> LIVE.forEach(Process::destroyForcibly), "node-killer"));
    }

    private final Process process;
    private final Path console;

    private NodeProcess(Process process, Path console)
    {
        this.process = process;
        this.console = console;
    }

    static NodeProcess start(List<String> command, Map<String, String> environment, Path console)
    {
        try
        {
            Files.createDirectories(console.getParent());
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().putAll(environment);
            builder.redirectErrorStream(true).redirectOutput(console.toFile()).redirectInput(new File("/dev/null"));
            Process process = builder.start();
            LIVE.add(process);
            return new NodeProcess(process, console);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot start " + command, e);
        }
    }

    long pid()
    {
        return process.pid();
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    int exitCode()
    {
        return process.exitValue();
    }

    /** @return whether it ended in time */
    boolean awaitEnd(Duration bound)
    {
        boolean ended = Command.waitFor(process, bound);
        if (ended)
            LIVE.remove(process);
        return ended;
    }

    void terminate()
    {
        process.destroy();
    }

    /** @param name for example {@code STOP} */
    void signal(String name)
    {
        Command.run(List.of("kill", "-" + name, Long.toString(pid())), SIGNAL_BOUND).success();
    }

    void kill(Duration bound)
    {
        process.destroyForcibly();
        if (!awaitEnd(bound))
            throw new IllegalStateException("process " + pid() + " outlived SIGKILL by " + bound);
    }

    /** @return what the process wrote to its standard output and error */
    String console()
    {
        try
        {
            return Files.readString(console);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot read " + console, e);
        }
    }
}
