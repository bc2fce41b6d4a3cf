/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** How a table is opened to writes whose rows have several replicas. Immutable. */
final class Copying
{
    private static final byte VERSION = 2;

    private final byte[] layout;
    private final RingReplicas replicas;

    /** @param layout as {@link io.cassiterite.frontdoor.recipe.TableLayout} writes it */
    Copying(byte[] layout, RingReplicas replicas)
    {
        this.layout = layout;
        this.replicas = replicas;
    }

    /** @param alone how the door opens the table whose rows have no other replica */
    byte[] spec(byte[] alone)
    {
        byte[] others = replicas.encoded();
        ByteBuffer spec = ByteBuffer.allocate(alone.length + 4 + layout.length + others.length);
        spec.put(alone).put(0, VERSION).putInt(layout.length).put(layout).put(others);
        return spec.array();
    }

    static boolean areSame(Copying one, Copying other)
    {
        if (one == null || other == null)
            return one == other;
        return one.replicas == other.replicas && Arrays.equals(one.layout, other.layout);
    }
}
