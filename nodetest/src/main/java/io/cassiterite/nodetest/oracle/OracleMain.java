/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.time.Instant;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

/**
 * The random oracle on a node of its own: {@code OracleMain SECONDS [SEED]}. Exit code 1 if a difference was found;
 * build/oracle has a script for each. -Doracle.operations=N ends it with the round that has compared so many. With
 * -Doracle.engine=MEMTABLE another memtable takes the engine's side (a stock one tests the oracle itself; then no plug-in is
 * needed).
 */
public final class OracleMain
{
    private static final int DIFFERENCES_MAX = 10;

    private OracleMain()
    {
    }

    public static void main(String[] args)
    {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 3600;
        long seed = args.length > 1 && !args[1].isEmpty() ? Long.parseLong(args[1]) : Instant.now().getEpochSecond();
        long operations = Long.getLong("oracle.operations", Long.MAX_VALUE);
        String engine = System.getProperty("oracle.engine", "cassiterite");
        boolean events = !Boolean.getBoolean("oracle.calm");
        System.out.println("oracle: seed " + seed + ", " + seconds + " s, trie against " + engine);
        NodeBuilder builder = Node.named("oracle").yaml("auto_snapshot", "false").patient().frontDoor("reads").nativeWrites("on")
                                  .jvm("-Dcassandra.test.flush_local_schema_changes=false").jvm("-XX:TieredStopAtLevel=4");
        if (!engine.equals("cassiterite"))
            builder.stock();
        Oracle oracle;
        String doorFailure;
        try (Node node = builder.start(); NodeMachine machine = new NodeMachine(node))
        {
            oracle = Oracle.onTwins(machine, "trie", engine, Checkout.root().resolve("build/oracle"), events, null, System.out::println);
            oracle.bounded(DIFFERENCES_MAX, Long.getLong("oracle.shrink", 300)).upTo(operations).run(seed, seconds);
            System.out.println("oracle: " + oracle.tally().doorReport(machine.doorCounts()));
            doorFailure = engine.equals("cassiterite") ? oracle.tally().doorFailure(machine.doorCounts()) : "";
        }
        System.out.println("oracle: seed " + seed + ": " + oracle.findings().size() + " differences");
        if (!doorFailure.isEmpty())
            System.out.println("oracle: " + doorFailure);
        System.exit(oracle.findings().isEmpty() && doorFailure.isEmpty() ? 0 : 1);
    }
}
