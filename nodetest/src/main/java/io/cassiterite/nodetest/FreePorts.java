/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hands out loopback ports that are free now, below the range from which the kernel takes its own. Processes that run
 * tests side by side take theirs from different ranges: a port is free until its node has started.
 */
public final class FreePorts
{
    private static final int RANGE = 3_000;
    private static final int RANGES = 5;
    private static final int LOWEST = 15_000 + Fork.number() % RANGES * RANGE;
    private static final int ATTEMPTS = 200;
    private static final Set<Integer> GIVEN = new HashSet<>();

    private FreePorts()
    {
    }

    /** @return a port of this address that is free, and that nobody else of this process gets */
    public static synchronized int next(String address)
    {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++)
        {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, LOWEST + RANGE);
            if (!GIVEN.contains(port) && isFree(address, port))
            {
                GIVEN.add(port);
                return port;
            }
        }
        throw new IllegalStateException("no free port on " + address);
    }

    private static boolean isFree(String address, int port)
    {
        try (ServerSocket socket = new ServerSocket())
        {
            socket.bind(new InetSocketAddress(InetAddress.getByName(address), port));
            return true;
        }
        catch (IOException e)
        {
            return false;
        }
    }
}
