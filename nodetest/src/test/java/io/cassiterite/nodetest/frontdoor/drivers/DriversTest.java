/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every driver gets from the front door what it gets from a stock transport, in its newest version of the protocol. */
@Tag("surface")
class DriversTest
{
    private static Comparison comparison;

    @BeforeAll
    static void start()
    {
        comparison = new Comparison("driverstest");
    }

    @AfterAll
    static void stop()
    {
        comparison.close();
    }

    static Stream<Way> newest()
    {
        return Stream.of(Driver.values()).map(Driver::newest);
    }

    @ParameterizedTest
    @MethodSource("newest")
    void theDoorAnswersLikeStock(Way way)
    {
        comparison.assertSame(way, Comparison.SCENARIOS);
    }
}
