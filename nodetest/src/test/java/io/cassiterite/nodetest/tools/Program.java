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
import io.cassiterite.nodetest.Output;

/** A program of nodetest/tools with its libraries, in a JVM of its own: `make tool-programs` has built it. */
final class Program
{
    /** Before each line that counts: libraries print, too. */
    private static final String MARK = "> ";
    private static final Duration BOUND = Duration.ofMinutes(8);

    private final String tool;
    private final String main;

    /** @param main the class's whole name */
    Program(String tool, String main)
    {
        this.tool = tool;
        this.main = main;
    }

    /** A program of the tests' own: its class is in the package of the tool's name. */
    static Program own(String tool, String main)
    {
        return new Program(tool, "io.cassiterite.nodetest.tools." + tool + '.' + main);
    }

    /** @return the lines that it printed for the test; the node's address and port are its first arguments */
    List<String> lines(Node node, String... arguments)
    {
        List<String> all = new ArrayList<>(List.of(node.address(), Integer.toString(node.cqlAddress().getPort())));
        all.addAll(Arrays.asList(arguments));
        return run(all).success().lines().filter(line -> line.startsWith(MARK)).map(line -> line.substring(MARK.length())).toList();
    }

    Output run(List<String> arguments)
    {
        Path built = Checkout.root().resolve("build/tools").resolve(tool);
        Path options = Checkout.root().resolve("nodetest/tools").resolve(tool).resolve("jvm.options");
        List<String> command = new ArrayList<>(List.of("java", "@" + Checkout.root().resolve("config/jvm17.options"), "-Xmx1g",
                                                       "-XX:+UseSerialGC"));
        if (Files.exists(options))
            command.add("@" + options);
        command.addAll(List.of("-cp", built.resolve("classes") + ":" + classpath(built.resolve("classpath")), main));
        command.addAll(arguments);
        return Command.run(command, BOUND);
    }

    private static String classpath(Path file)
    {
        try
        {
            return Files.readString(file).strip();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("run 'make tool-programs'", e);
        }
    }
}
