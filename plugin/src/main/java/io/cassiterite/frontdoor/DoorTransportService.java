/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.service.NativeTransportService;

import io.cassiterite.frontdoor.desk.TransportState;

/** Cassandra's native transport, whose servers bind their ports through the front door. */
final class DoorTransportService extends NativeTransportService
{
    private static final Logger logger = LoggerFactory.getLogger(DoorTransportService.class);

    private final TransportAccess access;

    DoorTransportService(TransportAccess access)
    {
        this.access = access;
    }

    @Override
    public void start()
    {
        try
        {
            access.adopt(this);
        }
        catch (RuntimeException e)
        {
            logger.error("The front door stays off: Cassandra's native transport cannot be bound to it", e);
        }
        super.start();
        TransportState.setStopping(false);
        tellDoor();
    }

    /** From its first moment on, Cassandra answers that it shuts down; and no native answer comes after. */
    @Override
    public void stop(boolean force)
    {
        TransportState.setStopping(true);
        tellDoor();
        super.stop(force);
    }

    /** The transport starts and stops whatever becomes of the door: disablebinary and drain are Cassandra's. */
    private static void tellDoor()
    {
        try
        {
            FrontDoor.instance.conditionsChanged();
        }
        catch (RuntimeException | Error e)
        {
            logger.error("The front door could not look at its gates as the native transport started or stopped; it tries again soon", e);
        }
    }
}
