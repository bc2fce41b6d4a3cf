/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.netty.handler.ssl.SslContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.Door;
import io.cassiterite.engine.EngineException;

/**
 * Tells the door with what it meets clients that speak TLS, and follows Cassandra: a thread looks ten times a second whether
 * Cassandra has loaded its stores anew. Thread-safe.
 */
public final class TlsWatch
{
    private static final Logger logger = LoggerFactory.getLogger(TlsWatch.class);

    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final String SCOPE = "tls";
    private static final String FOLLOWING = "Following the stores of client_encryption_options";

    private final Door door;
    private volatile boolean isOn;
    private volatile Thread watching;
    private volatile boolean isSpoken;
    private volatile TlsObstacleException obstacle;
    /** The context that was looked at last; Cassandra has another one when its stores have changed. */
    private SslContext seen;

    public TlsWatch(Door door)
    {
        this.door = door;
    }

    /** Changes who speaks TLS with clients, from the next one on. */
    public synchronized void change(boolean wanted)
    {
        if (wanted == isOn)
            return;
        isOn = wanted;
        if (wanted)
            begin();
        else
            end();
    }

    private void begin()
    {
        if (!ClientEncryption.isOn())
            logger.info("The front door speaks no TLS: client_encryption_options lets no client do so");
        // Before a port is bound by what comes of it.
        BackgroundWork.attempt(FOLLOWING, this::look);
        Thread thread = new Thread(this::run, "cassiterite-door-tls");
        thread.setDaemon(true);
        watching = thread;
        thread.start();
    }

    private void end()
    {
        isSpoken = false;
        obstacle = null;
        seen = null;
        door.setTls(null);
        logger.info("Netty speaks TLS with clients");
    }

    /** @return true if the door speaks it with new clients */
    public boolean isSpoken()
    {
        return isSpoken;
    }

    /** @return why it does not, as a line of the report of gates; nothing if it does, or is not to */
    public String report()
    {
        TlsObstacleException present = obstacle;
        return present == null ? "" : SCOPE + '\t' + present.obstacle().name() + '\t' + present.getMessage().replaceAll("\\s+", " ") + '\n';
    }

    private void run()
    {
        // Another one has begun where it was switched off and on in between.
        while (isOn && watching == Thread.currentThread())
        {
            LockSupport.parkNanos(this, ROUND_NANOS);
            BackgroundWork.attempt(FOLLOWING, this::look);
        }
    }

    private synchronized void look()
    {
        if (!isOn || !ClientEncryption.isOn())
            return;
        try
        {
            SslContext present = ClientEncryption.context();
            if (present == seen)
                return;
            seen = present;
            tell(ClientEncryption.terms(present));
            logger.info("The front door speaks TLS with clients{}", obstacle == null ? "" : " again");
            obstacle = null;
            isSpoken = true;
        }
        catch (TlsObstacleException e)
        {
            refuse(e);
        }
        catch (IOException e)
        {
            seen = null;
            refuse(new TlsObstacleException(TlsObstacle.STORES, e.getMessage(), e));
        }
    }

    private void tell(TlsTerms terms) throws TlsObstacleException
    {
        byte[] bytes = terms.encode();
        try
        {
            door.setTls(bytes);
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.CLOSED)
                isOn = false;
            throw new TlsObstacleException(TlsObstacle.LIBRARY, e.getMessage(), e);
        }
        finally
        {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /** Cassandra's own transport has whatever comes from now on. */
    private void refuse(TlsObstacleException present)
    {
        isSpoken = false;
        TlsObstacleException known = obstacle;
        obstacle = present;
        if (known != null && known.obstacle() == present.obstacle())
            return;
        if (isOn)
            door.setTls(null);
        logger.warn("Netty speaks TLS with clients, and the front door does not: {}", present.getMessage(), present.getCause());
    }
}
