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
 * The index oracle on a node of its own: {@code IndexOracleMain SECONDS [SEED]}. Exit code 1 if a difference was found;
 * build/oracle-index has a script for each. With -Dindex.mode=stock-only the engine has no side, and no plug-in is needed.
 */
public final class IndexOracleMain
{
    private static final int DIFFERENCES_MAX = 10;

    private IndexOracleMain()
    {
    }

    public static void main(String[] args)
    {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 3600;
        long seed = args.length > 1 && !args[1].isEmpty() ? Long.parseLong(args[1]) : Instant.now().getEpochSecond();
        IndexOracle.Mode mode = IndexOracle.Mode.of(System.getProperty("index.mode", "engine"));
        System.out.println("oracle: seed " + seed + ", " + seconds + " s, indexes, " + mode);
        NodeBuilder builder = Node.named("oracle-index-" + mode.name().toLowerCase()).yaml("auto_snapshot", "false").patient();
        if (mode == IndexOracle.Mode.STOCK_ONLY)
            builder.stock();
        IndexOracle oracle;
        try (Node node = builder.start(); NodeMachine machine = new NodeMachine(node))
        {
            oracle = new IndexOracle(machine, mode, Checkout.root().resolve("build/oracle-index"), !Boolean.getBoolean("oracle.calm"),
                                     null, System.out::println);
            oracle.bounded(DIFFERENCES_MAX, Long.getLong("oracle.shrink", 60)).run(seed, seconds);
            System.out.println(oracle.report());
        }
        System.out.println("oracle: seed " + seed + ": " + oracle.findings().size() + " differences");
        System.exit(oracle.findings().isEmpty() ? 0 : 1);
    }
}
