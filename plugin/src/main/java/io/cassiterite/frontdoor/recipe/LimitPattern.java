/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToIntFunction;

import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.db.filter.DataLimits;
import org.apache.cassandra.utils.ByteBufferUtil;

/** A LIMIT or PER PARTITION LIMIT: none, a number, or a bind variable. Immutable. */
final class LimitPattern
{
    private final Operand operand;

    private LimitPattern(Operand operand)
    {
        this.operand = operand;
    }

    /** @param limit what Cassandra makes of a probe of positive values */
    static LimitPattern learn(List<Probe> probes, ToIntFunction<QueryOptions> limit)
    {
        Candidates candidates = null;
        for (Probe probe : probes)
        {
            ByteBuffer value = ByteBufferUtil.bytes(limit.applyAsInt(probe.options()));
            if (candidates == null)
                candidates = new Candidates(KeyTypes.INT, probe, value);
            else
                candidates.narrow(probe, value);
        }
        return new LimitPattern(candidates.resolve());
    }

    boolean isBind()
    {
        return operand.isBind();
    }

    int bind()
    {
        return operand.bind();
    }

    /** Whether there is no limit. */
    boolean isNone()
    {
        return !isBind() && constant() == DataLimits.NO_LIMIT;
    }

    int constant()
    {
        return ByteBufferUtil.toInt(operand.constant());
    }

    int in(Probe probe)
    {
        return ByteBufferUtil.toInt(operand.in(probe));
    }

    void addTo(BitSet binds)
    {
        if (isBind())
            binds.set(bind());
    }
}
