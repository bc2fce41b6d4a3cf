/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;

/** What may explain the values at one place of a read. Each probe leaves fewer; one must remain. */
final class Candidates
{
    private final byte type;
    private final BitSet binds;
    private final ByteBuffer first;
    private boolean constant = true;

    Candidates(byte type, Probe probe, ByteBuffer value)
    {
        this.type = type;
        this.binds = probe.binds(type, value);
        this.first = value;
    }

    void narrow(Probe probe, ByteBuffer value)
    {
        binds.and(probe.binds(type, value));
        constant &= value.equals(first);
    }

    Operand resolve()
    {
        int remaining = binds.cardinality() + (constant ? 1 : 0);
        RefusedException.refuseIf(remaining != 1, RecipeRefusal.UNEXPLAINED);
        RefusedException.refuseIf(constant && !first.hasRemaining() && !KeyTypes.isText(type), RecipeRefusal.EMPTY_CONSTANT);
        return constant ? Operand.constant(first) : Operand.bind(binds.nextSetBit(0), type);
    }

    /**
     * Narrows the candidates of one group of places by what a probe has there.
     *
     * @param groups of places, in order; the first probe makes them
     * @param types  of the group's places
     */
    static void narrow(List<List<Candidates>> groups, int group, byte[] types, Probe probe, List<ByteBuffer> values)
    {
        if (group == groups.size())
        {
            List<Candidates> fresh = new ArrayList<>();
            for (int i = 0; i < values.size(); i++)
                fresh.add(new Candidates(types[i], probe, values.get(i)));
            groups.add(fresh);
            return;
        }
        for (int i = 0; i < values.size(); i++)
            groups.get(group).get(i).narrow(probe, values.get(i));
    }

    static List<Operand> resolve(List<Candidates> places)
    {
        return places.stream().map(Candidates::resolve).collect(Collectors.toList());
    }
}
