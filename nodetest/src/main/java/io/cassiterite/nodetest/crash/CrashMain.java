/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.io.IOException;

/** The crash test for a number of rounds: {@code CrashMain ROUNDS [SEED]}. Exit code 1 if anything was lost. */
public final class CrashMain
{
    private CrashMain()
    {
    }

    public static void main(String[] args) throws IOException
    {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 50;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : System.currentTimeMillis() / 1000;
        String memtable = System.getProperty("crash.memtable", "cassiterite");
        Verdict verdict = new CrashRun("crash", memtable, seed, System.out::println).run(rounds);
        System.exit(verdict.losses().isEmpty() ? 0 : 1);
    }
}
