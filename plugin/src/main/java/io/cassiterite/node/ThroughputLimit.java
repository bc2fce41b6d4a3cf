/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Makes {@code compaction_throughput} and {@code nodetool setcompactionthroughput} act on the engine. A limit in the
 * memtable configuration holds until the node's limit is changed while it runs. Used by one thread.
 */
public final class ThroughputLimit
{
    static final String OPTION = "compaction_rate_limit";

    private static final long MIN_BYTES_PER_SECOND = 64L << 10;
    private static final long MAX_BYTES_PER_SECOND = 1L << 40;

    private final EngineControl engine;
    private final DoubleSupplier bytesPerSecond;
    private Long passed;

    /** @param bytesPerSecond the node's limit, 0 for none */
    public ThroughputLimit(EngineControl engine, DoubleSupplier bytesPerSecond)
    {
        this.engine = engine;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Passes the node's limit to the engine if it has changed. */
    public void pass()
    {
        long limit = (long) bytesPerSecond.getAsDouble();
        boolean isFirst = passed == null;
        if (!isFirst && passed == limit)
            return;
        if (!isFirst || !engine.options().containsKey(OPTION))
            engine.set(Map.of(OPTION, text(limit)));
        passed = limit;
    }

    /** A limit of the node, whose limits have no bounds, in the form of the option. */
    static String text(double bytesPerSecond)
    {
        long limit = (long) bytesPerSecond;
        return (limit <= 0 ? 0 : Math.min(Math.max(limit, MIN_BYTES_PER_SECOND), MAX_BYTES_PER_SECOND)) + "B/s";
    }
}
