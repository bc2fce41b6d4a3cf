/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import io.cassiterite.nodetest.Cql;

/** Requests that give the same answers in each run. */
interface Scenario
{
    /** Makes what all runs share. */
    default void create(Cql cql)
    {
    }

    void run(Run run);
}
