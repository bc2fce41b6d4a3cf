/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.net.InetSocketAddress;
import java.time.Instant;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.StockTransport;

/**
 * The frame oracle on a node of its own: {@code FrameOracleMain SECONDS [SEED]}, with -Doracle.front_door=MODE, and
 * -Doracle.replicas=3 for other nodes whose doors agree with its. Exit code 1
 * if a difference was found; build/oracle-frames has it.
 */
public final class FrameOracleMain
{
    private FrameOracleMain()
    {
    }

    public static void main(String[] args)
    {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 3600;
        long seed = args.length > 1 && !args[1].isEmpty() ? Long.parseLong(args[1]) : Instant.now().getEpochSecond();
        String mode = System.getProperty("oracle.front_door", "reads");
        System.out.println("oracle: seed " + seed + ", " + seconds + " s, front_door " + mode + ", replicas " + Replicas.COUNT);
        NodeBuilder builder = FrameOracle.node("oracle-frames", mode);
        InetSocketAddress stock = StockTransport.on(builder);
        FrameOracle oracle;
        try (Node node = builder.start(); Replicas replicas = Replicas.of(node, mode))
        {
            oracle = new FrameOracle(node, replicas, stock, System.out::println);
            oracle.run(seed, seconds);
            System.out.print(oracle.tally().report());
            System.out.print(oracle.report());
        }
        System.out.println("oracle: seed " + seed + ": " + oracle.findings().size() + " differences");
        System.exit(oracle.findings().isEmpty() ? 0 : 1);
    }
}
