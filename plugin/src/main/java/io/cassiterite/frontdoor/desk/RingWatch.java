/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.service.IEndpointLifecycleSubscriber;
import org.apache.cassandra.service.StorageService;

import static io.cassiterite.engine.BackgroundWork.attempt;

/** Tells when another node has joined, left or moved: rows may have other replicas since, milliseconds ago. */
final class RingWatch implements IEndpointLifecycleSubscriber
{
    private final Runnable onChange;

    RingWatch(Runnable onChange)
    {
        this.onChange = onChange;
    }

    void register()
    {
        StorageService.instance.register(this);
    }

    void unregister()
    {
        StorageService.instance.unregister(this);
    }

    /** Throws nothing: Cassandra's gossip would skip the subscribers behind this one. */
    private void changed()
    {
        attempt("Telling the front door of a ring change", onChange);
    }

    @Override
    public void onJoinCluster(InetAddressAndPort endpoint)
    {
        changed();
    }

    @Override
    public void onLeaveCluster(InetAddressAndPort endpoint)
    {
        changed();
    }

    @Override
    public void onMove(InetAddressAndPort endpoint)
    {
        changed();
    }

    @Override
    public void onUp(InetAddressAndPort endpoint)
    {
        // the ring is the same
    }

    @Override
    public void onDown(InetAddressAndPort endpoint)
    {
        // the ring is the same
    }
}
