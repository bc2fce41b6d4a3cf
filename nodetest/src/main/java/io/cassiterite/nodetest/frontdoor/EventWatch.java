/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.frontdoor.TwinConnection.Side;

/** Two clients of each side that hear of schema changes, in the two framings. One thread. */
final class EventWatch implements AutoCloseable
{
    private static final int POLLS = 6_000;
    private static final int POLL_MILLIS = 10;

    private final List<TwinConnection> twins = new ArrayList<>();

    EventWatch(Map<Side, InetSocketAddress> addresses) throws IOException
    {
        for (int version : new int[]{ 4, 5 })
        {
            Connection.Setup setup = new Connection.Setup(version, Compression.LZ4, null);
            TwinConnection twin = new TwinConnection(addresses, setup, TwinConnection.Fault.NONE);
            twins.add(twin);
            byte[] body = new Body().u16(1).string("SCHEMA_CHANGE").bytes();
            for (Side side : Side.values())
                twin.connection(side).call(new Request(Envelope.REGISTER, body, "REGISTER").envelope(version, 0));
        }
    }

    /** Waits until both sides have told the same; in vain, it is a mismatch. */
    void compare()
    {
        try
        {
            for (TwinConnection twin : twins)
                compare(twin);
        }
        catch (IOException e)
        {
            throw new FrameMismatch("events: " + e);
        }
    }

    private static void compare(TwinConnection twin) throws IOException
    {
        Connection door = twin.connection(Side.DOOR);
        Connection stock = twin.connection(Side.STOCK);
        for (int poll = 0; poll < POLLS; poll++)
        {
            // Its answer follows the events that have been sent.
            for (Connection connection : List.of(door, stock))
                connection.call(Requests.options().envelope(twin.setup.version, 1));
            if (door.events().equals(stock.events()))
                return;
            Pause.millis(POLL_MILLIS);
        }
        throw new FrameMismatch(twin.setup + ": events differ\n  door: " + door.events() + "\n  stock: " + stock.events());
    }

    @Override
    public void close() throws IOException
    {
        for (TwinConnection twin : twins)
            twin.close();
    }
}
