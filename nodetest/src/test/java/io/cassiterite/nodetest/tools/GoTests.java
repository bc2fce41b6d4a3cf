/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Command;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** An application's own tests in Go: `make tool-programs` has built them. */
final class GoTests
{
    private static final Duration BOUND = Duration.ofMinutes(10);

    private final String program;
    private final Path folder;

    /** @param folder of the package, where its tests look for their files */
    GoTests(String program, Path folder)
    {
        this.program = program;
        this.folder = folder;
    }

    /** @return each test and whether it passed or was skipped; fails if one failed */
    List<String> run(String tests, String... environment)
    {
        List<String> command = new ArrayList<>(List.of("env", "-C", folder.toString()));
        command.addAll(Arrays.asList(environment));
        command.addAll(List.of(Checkout.root().resolve("build/tools").resolve(program).toString(), "-test.run", tests, "-test.v"));
        String text = Command.run(command, BOUND).success();
        List<String> results = text.lines().map(String::strip).filter(line -> line.startsWith("--- "))
                                   .map(line -> line.replaceFirst("^--- ", "").replaceFirst(" \\([0-9.]+s\\)$", "")).sorted().toList();
        assertEquals(List.of(), results.stream().filter(line -> line.startsWith("FAIL")).toList());
        return results;
    }
}
