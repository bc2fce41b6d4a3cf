/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A driver that loses its connections comes back through the front door as it does through a stock transport. */
@Tag("surface")
class DriversReconnectTest
{
    private static TwoTransports transports;

    @BeforeAll
    static void start()
    {
        transports = new TwoTransports("driversreconnecttest");
        Interruption.create(transports.cql);
        new Metadata().create(transports.cql);
    }

    @AfterAll
    static void stop()
    {
        transports.close();
    }

    static Stream<Way> ways()
    {
        return Stream.of(Driver.values()).map(Driver::newest);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void connectionsAreCut(Way way) throws IOException
    {
        try (Relay stock = new Relay(transports.stock); Relay door = new Relay(transports.door());
             DriverSession byStock = way.open(stock.address(), null); DriverSession byDoor = way.open(door.address(), null))
        {
            Transcripts.assertSame(cut(new Run(byStock, transports.cql, null), stock),
                                   cut(new Run(byDoor, transports.cql, transports.counts), door));
        }
        assertEquals(0, transports.counts.different(), transports.counts::report);
    }

    private static List<String> cut(Run run, Relay relay)
    {
        Interruption interruption = new Interruption(run);
        interruption.before();
        assertTrue(relay.cut() > 0, "the driver does not come through the relay");
        interruption.after();
        return run.transcript();
    }

    @Test
    void theNodeIsRestarted()
    {
        List<Pair> pairs = ways().map(Pair::new).toList();
        try
        {
            pairs.forEach(pair -> pair.interruptions.forEach(Interruption::before));
            transports.restart();
            pairs.forEach(pair -> pair.interruptions.forEach(Interruption::after));
            pairs.forEach(pair -> Transcripts.assertSame(pair.byStock.transcript(), pair.byDoor.transcript()));
        }
        finally
        {
            pairs.forEach(Pair::close);
        }
        assertEquals(0, transports.counts.different(), transports.counts::report);
    }

    /** A driver's sessions by both ways. */
    private static final class Pair
    {
        final Run byStock;
        final Run byDoor;
        final List<Interruption> interruptions = new ArrayList<>();

        Pair(Way way)
        {
            byStock = new Run(way.open(transports.stock, null), transports.cql, null);
            byDoor = new Run(way.open(transports.door(), null), transports.cql, transports.counts);
            interruptions.add(new Interruption(byStock));
            interruptions.add(new Interruption(byDoor));
        }

        void close()
        {
            byStock.session.close();
            byDoor.session.close();
        }
    }
}
