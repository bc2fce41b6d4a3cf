/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** What the door needs to compare a table's replicas: with other nodes' doors, or for them. Immutable. */
final class Comparing
{
    private static final byte VERSION = 2;

    private final int gcGraceSeconds;
    private final byte[] layout;
    private final RingReplicas replicas;

    /** @param layout as {@link io.cassiterite.frontdoor.recipe.TableLayout} writes it */
    Comparing(int gcGraceSeconds, byte[] layout, RingReplicas replicas)
    {
        this.gcGraceSeconds = gcGraceSeconds;
        this.layout = layout;
        this.replicas = replicas;
    }

    /** @param alone how the door opens the table for this node alone */
    byte[] spec(byte[] alone)
    {
        byte[] others = replicas.encoded();
        ByteBuffer spec = ByteBuffer.allocate(alone.length + 8 + layout.length + others.length);
        spec.put(alone).put(0, VERSION).putInt(gcGraceSeconds).putInt(layout.length).put(layout).put(others);
        return spec.array();
    }

    static boolean areSame(Comparing one, Comparing other)
    {
        if (one == null || other == null)
            return one == other;
        return one.gcGraceSeconds == other.gcGraceSeconds && one.replicas == other.replicas && Arrays.equals(one.layout, other.layout);
    }
}
