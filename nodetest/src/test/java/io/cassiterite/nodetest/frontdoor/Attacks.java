/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Has clients send the same bytes to a stock transport and through the front door, and compares what becomes of them. */
final class Attacks
{
    private static final int ATTACKERS = 24;
    private static final int QUIET_MILLIS = 400;
    /** On a busy machine an answer may come after the quiet: a difference must stay. */
    private static final int LONG_QUIET_MILLIS = 10_000;

    private final InetSocketAddress stock;
    private final InetSocketAddress door;
    private final int stream;

    /** @param stream of all requests that may be answered */
    Attacks(InetSocketAddress stock, InetSocketAddress door, int stream)
    {
        this.stock = stock;
        this.door = door;
        this.stream = stream;
    }

    /** A client of the node, and what has become of its attack when so long nothing has come. */
    interface Attacker
    {
        String outcome(int quietMillis) throws IOException;
    }

    interface Entrance
    {
        Attacker enter(InetSocketAddress node, byte[] attack) throws IOException;
    }

    void assertSame(List<byte[]> attacks, Entrance entrance) throws IOException, InterruptedException
    {
        List<byte[]> unequal = different(attacks, entrance, QUIET_MILLIS, new StringBuilder());
        StringBuilder found = new StringBuilder();
        different(unequal, entrance, LONG_QUIET_MILLIS, found);
        assertEquals("", found.toString());
    }

    /** Many at once, for each waits whether more comes. */
    private List<byte[]> different(List<byte[]> attacks, Entrance entrance, int quietMillis, StringBuilder differences)
        throws IOException, InterruptedException
    {
        ExecutorService pool = Executors.newFixedThreadPool(ATTACKERS);
        List<Future<String>> expected = new ArrayList<>();
        List<Future<String>> given = new ArrayList<>();
        for (byte[] attack : attacks)
        {
            Attacker atStock = entrance.enter(stock, attack);
            Attacker atDoor = entrance.enter(door, attack);
            expected.add(pool.submit(() -> atStock.outcome(quietMillis)));
            given.add(pool.submit(() -> atDoor.outcome(quietMillis)));
        }
        pool.shutdown();
        List<byte[]> different = new ArrayList<>();
        for (int i = 0; i < attacks.size(); i++)
            if (!comparable(outcome(given.get(i))).equals(comparable(outcome(expected.get(i)))))
            {
                different.add(attacks.get(i));
                differences.append(Text.hex(attacks.get(i))).append("\nstock: ").append(outcome(expected.get(i))).append("\ndoor: ")
                           .append(outcome(given.get(i))).append('\n');
            }
        return different;
    }

    /** Requests before the one that ends a connection are under way then: stock may answer them or not. */
    private String comparable(String outcome)
    {
        return outcome.endsWith("closed") ? outcome.replaceAll("(?m)^\\d+ \\d+ " + stream + " " + Envelope.RESULT + " .*\\R", "") : outcome;
    }

    private static String outcome(Future<String> attack) throws InterruptedException
    {
        try
        {
            return attack.get();
        }
        catch (ExecutionException e)
        {
            throw new AssertionError(e.getCause());
        }
    }
}
