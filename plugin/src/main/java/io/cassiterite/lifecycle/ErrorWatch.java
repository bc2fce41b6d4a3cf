/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;

import io.cassiterite.node.EngineControl;

/**
 * Hands errors of the engine's background work (flush, compaction, WAL) to Cassandra's disk failure policy, once each,
 * and lets the engine write again when a full disk has space. Used by one thread.
 */
final class ErrorWatch
{
    private static final Logger logger = LoggerFactory.getLogger(ErrorWatch.class);

    /** With less than this, a resumed engine would stop again at its next flush. */
    static final long MIN_FREE_BYTES = 256L << 20;

    private static final String NO_SPACE = "NO_SPACE";
    private static final String CORRUPTION = "CORRUPTION";

    private final EngineControl engine;
    private final LongSupplier freeBytes;
    private final Consumer<Throwable> policy;
    private String known;

    /**
     * @param freeBytes space left on the store's device
     * @param policy    what decides about the node, given an FSWriteError or a CorruptSSTableException
     */
    ErrorWatch(EngineControl engine, LongSupplier freeBytes, Consumer<Throwable> policy)
    {
        this.engine = engine;
        this.freeBytes = freeBytes;
        this.policy = policy;
    }

    /** Checks the engine once. */
    void check()
    {
        String error = engine.backgroundError();
        boolean isNew = error != null && !Objects.equals(error, known);
        if (error == null && known != null)
            logger.info("The engine accepts writes again");
        known = error;
        if (isNew)
            report(error);
        else if (error != null && kind(error).equals(NO_SPACE) && freeBytes.getAsLong() >= MIN_FREE_BYTES)
            resume();
    }

    private void report(String error)
    {
        logger.error("The engine in {} does not accept writes: {}. {}",
                     engine.storeDirectory(),
                     error.replace('\t', ' '),
                     kind(error).equals(NO_SPACE)
                     ? "It resumes by itself when the disk has at least " + (MIN_FREE_BYTES >> 20) + " MiB free."
                     : "When the cause is gone, restart the node or call the operation resume of the MBean io.cassiterite:type=Engine.");
        IOException cause = new IOException(error.replace('\t', ' '));
        policy.accept(kind(error).equals(CORRUPTION) ? new CorruptSSTableException(cause, engine.storeDirectory())
                                                     : new FSWriteError(cause, engine.storeDirectory()));
    }

    private void resume()
    {
        try
        {
            engine.resume();
            known = null;
            logger.info("The disk of {} has space again and the engine accepts writes. If disk_failure_policy has stopped " +
                        "the transports, start them with nodetool enablegossip and nodetool enablebinary.",
                        engine.storeDirectory());
        }
        catch (Exception | Error e)
        {
            logger.warn("The engine in {} cannot resume yet: {}", engine.storeDirectory(), e.toString());
        }
    }

    private static String kind(String error)
    {
        int tab = error.indexOf('\t');
        return tab < 0 ? error : error.substring(0, tab);
    }
}
