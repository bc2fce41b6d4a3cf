/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

/** Has the life of the plug-in in this node, once the start guard has let the node start. Thread-safe. */
public final class GuardedNode
{
    private static volatile PluginLife life = new UnguardedLife();

    private GuardedNode()
    {
    }

    /** The node may start; what the floors below {@code lifecycle} ask from now on is answered by this. */
    public static void start(PluginLife guarded)
    {
        life = guarded;
    }

    public static PluginLife life()
    {
        return life;
    }
}
