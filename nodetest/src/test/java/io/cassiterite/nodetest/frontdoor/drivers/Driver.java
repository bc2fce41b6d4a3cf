/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Checkout;

/** The drivers. */
enum Driver
{
    JAVA_4(Java4Session::new, 3, 4, 5),
    JAVA_3(Java3Session::new, 3, 4, 5),
    PYTHON(program("build/driver-venv/bin/python", "nodetest/drivers/driver.py"), 3, 4, 5),
    GO(program("build/drivers/driver-go"), 3, 4, 5),
    RUST(program(Checkout.lab().resolveSibling("driver-rust").toString()), 4);

    private final Function<Endpoint, DriverSession> opener;
    private final int[] versions;

    Driver(Function<Endpoint, DriverSession> opener, int... versions)
    {
        this.opener = opener;
        this.versions = versions;
    }

    private static Function<Endpoint, DriverSession> program(String... command)
    {
        return endpoint -> new ProgramSession(Checkout.root().toFile(), List.of(command), endpoint);
    }

    DriverSession open(Endpoint endpoint)
    {
        return opener.apply(endpoint);
    }

    /** @return the newest of its ways */
    Way newest()
    {
        return ways().reduce((older, newer) -> newer).orElseThrow();
    }

    /** @return in which ways it speaks */
    Stream<Way> ways()
    {
        return Arrays.stream(versions).boxed().flatMap(version -> Stream.of(new Way(this, version, Endpoint.NONE),
                                                                            new Way(this, version, Endpoint.LZ4)));
    }
}
