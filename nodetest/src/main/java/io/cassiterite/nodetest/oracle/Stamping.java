/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives statements their timestamps, and keeps those of the server's clock apart: clocks of server and client tick in
 * milliseconds, and the sides are written one after the other. One thread.
 */
final class Stamping
{
    private static final long POLL_NANOS = 300_000;

    private final Machine machine;
    private long lastMillis;

    Stamping(Machine machine)
    {
        this.machine = machine;
    }

    /** @return the client's timestamp in microseconds, {@link Step#SERVER_STAMP} for none */
    long before(Step step)
    {
        if (step.read)
            return Step.SERVER_STAMP;
        if (step.stampMicros == Step.CLOCK_STAMP)
        {
            waitForNextMilli();
            return (lastMillis + machine.clockOffsetSeconds() * 1000) * 1000;
        }
        if (step.stampMicros == Step.SERVER_STAMP || isSchema(step))
            waitForNextMilli();
        return step.stampMicros;
    }

    void after(Step step)
    {
        if (!step.read && (step.stampMicros == Step.SERVER_STAMP || isSchema(step)))
            waitForNextMilli();
    }

    private void waitForNextMilli()
    {
        long last = Math.max(lastMillis, System.currentTimeMillis());
        while (System.currentTimeMillis() <= last + 1)
            LockSupport.parkNanos(POLL_NANOS);
        lastMillis = System.currentTimeMillis();
    }

    static boolean isSchema(Step step)
    {
        return Set.of("create", "drop", "truncate", "create index", "drop index").contains(step.kind) || step.kind.startsWith("alter");
    }
}
