/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import com.google.common.util.concurrent.Uninterruptibles;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.hints.Hint;
import org.apache.cassandra.hints.HintsService;
import org.apache.cassandra.locator.EndpointsForToken;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.locator.Replica;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.StorageProxy;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.Door.Missed;
import io.cassiterite.frontdoor.recipe.ExecutedWrite;

/**
 * Leaves hints for replicas that lack a write which the door has acknowledged, as {@code StorageProxy.submitHint} does. A hint
 * has the time at which the write began: a TRUNCATE after it drops the hint (danger F37). Thread-safe.
 */
public final class MissedWrites
{
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(LoggerFactory.getLogger(MissedWrites.class), 1, TimeUnit.MINUTES);

    private static final long END_SECONDS = 30;

    /** The door has no more of them at a time than it has room for. */
    private final LinkedBlockingQueue<Runnable> steps = new LinkedBlockingQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final Runnable endCopies;
    private Thread thread;

    /** @param endCopies makes the door tell of all that is missed, and then that it has */
    MissedWrites(Runnable endCopies)
    {
        this.endCopies = endCopies;
    }

    /** Starts the thread, which goes on when the door answers nothing any more: what was acknowledged is to be hinted. */
    synchronized void start()
    {
        if (thread != null)
            return;
        thread = new Thread(this::run, "cassiterite-desk-missed");
        thread.setDaemon(true);
        thread.start();
    }

    /** They get it as a hint. */
    public void add(Missed write)
    {
        steps.add(() -> {
            if (!BackgroundWork.attempt("Leaving hints of a write that replicas lack", () -> hint(write)))
                lost("it could not be hinted");
        });
    }

    /** All that were missed before {@link #hintAll} are here. */
    public void ended()
    {
        steps.add(end::countDown);
    }

    /** For a node that stops, when the door may answer nothing more: returns when all that is missed has its hints. */
    public void hintAll()
    {
        synchronized (this)
        {
            if (thread == null)
                return;
        }
        endCopies.run();
        if (!Uninterruptibles.awaitUninterruptibly(end, END_SECONDS, TimeUnit.SECONDS))
            lost("the node stops, and its hints have taken too long");
    }

    private void run()
    {
        try
        {
            while (true)
                steps.take().run();
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static void hint(Missed write)
    {
        QueryHandler.Prepared prepared = QueryProcessor.instance.getPrepared(ExecutedWrite.statementId(write.body));
        if (prepared == null || !(prepared.statement instanceof ModificationStatement))
        {
            lost("its statement is not prepared any more");
            return;
        }
        ModificationStatement statement = (ModificationStatement) prepared.statement;
        TableMetadata table = statement.metadata();
        Mutation mutation = new Mutation(ExecutedWrite.update(statement, write.version, write.body, write.beganMillis));
        List<UUID> hinted = new ArrayList<>();
        EndpointsForToken replicas = Keyspace.open(table.keyspace).getReplicationStrategy()
                                             .getNaturalReplicasForToken(mutation.key().getToken());
        for (UUID host : write.hosts)
        {
            InetAddressAndPort endpoint = StorageService.instance.getEndpointForHostId(host);
            Replica replica = endpoint == null ? null : replicas.byEndpoint().get(endpoint);
            if (replica == null || !StorageProxy.shouldHint(replica))
                continue;
            hinted.add(host);
            HintsService.instance.metrics.incrCreatedHints(endpoint);
        }
        if (!hinted.isEmpty())
            HintsService.instance.write(hinted, Hint.create(mutation, write.beganMillis));
    }

    private static void lost(String why)
    {
        NO_SPAM.error("A write that the front door has acknowledged is not on all replicas, and there is no hint of it: {}. Run a repair " +
                      "of the tables that are written", why);
    }
}
