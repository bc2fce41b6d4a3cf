/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a driver gets from the front door is what it gets from a stock transport of the same node. */
final class Comparison implements AutoCloseable
{
    static final List<Scenario> SCENARIOS = List.of(new PagedReads(), new TypedReads(), new KeyedReads(), new TableChanges(),
                                                    new Metadata(), new SessionKeyspaces(), new Writes());

    /** Cassandra's complaint about SessionKeyspaces. */
    private static final String ANOTHER_KEYSPACE = "on a keyspace it was not prepared on";

    private final TwoTransports transports;

    Comparison(String name)
    {
        transports = new TwoTransports(name);
        SCENARIOS.forEach(scenario -> scenario.create(transports.cql));
    }

    void assertSame(Way way, List<Scenario> scenarios)
    {
        DoorCounts counts = transports.counts;
        long answered = counts.answered();
        long accepted = counts.accepted();
        try (DriverSession byStock = way.open(transports.stock, null))
        {
            assertEquals(accepted, counts.accepted(), "the driver has gone from the stock transport to the door");
            try (DriverSession byDoor = way.open(transports.door(), null))
            {
                assertAll(scenarios.stream().map(scenario -> () -> assertSame(scenario, byStock, byDoor)));
                PagedReads.assertPagesContinue(byStock, byDoor);
            }
        }
        assertTrue(counts.answered() > answered, counts::report);
        assertEquals(0, counts.different(), counts::report);
        List<String> errors = transports.node.log().errors().stream().filter(line -> !line.contains(ANOTHER_KEYSPACE)).toList();
        assertTrue(errors.isEmpty(), () -> String.join("\n", errors));
    }

    private void assertSame(Scenario scenario, DriverSession byStock, DriverSession byDoor)
    {
        Run expected = new Run(byStock, transports.cql, null);
        scenario.run(expected);
        Run run = new Run(byDoor, transports.cql, transports.counts);
        scenario.run(run);
        Transcripts.assertSame(expected.transcript(), run.transcript());
    }

    @Override
    public void close()
    {
        transports.close();
    }
}
