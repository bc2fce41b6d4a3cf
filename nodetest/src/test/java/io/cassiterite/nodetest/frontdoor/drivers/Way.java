/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.net.InetSocketAddress;

/** A driver, and how it speaks. */
record Way(Driver driver, int version, String compression)
{
    DriverSession open(InetSocketAddress address, String keyspace)
    {
        return driver.open(new Endpoint(address, version, compression, keyspace));
    }

    @Override
    public String toString()
    {
        return driver + ", version " + version + ", compression " + compression;
    }
}
