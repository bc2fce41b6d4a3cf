/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.streaming.StreamManager;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.management.StreamStateCompositeData;

import io.cassiterite.engine.Store;
import io.cassiterite.node.PluginGossip;

import static io.cassiterite.engine.BackgroundWork.attempt;

/** The background work of streams, from the opening of the store to its closing. */
public final class Streams
{
    private Streams()
    {
    }

    /** Called when the store is open. May be called again. */
    public static void start(Store store)
    {
        RetainedFiles.recover(store);
        MergeInTask.instance.start();
    }

    /** Called every second once the node has started. */
    public static void refresh(Store store)
    {
        attempt("Publishing the plug-in's version by gossip", PluginGossip::publish);
        attempt("Reading the versions of the peers", PluginGossip::listen);
        attempt("Cutting files at the ring's tokens", () -> RingBoundaries.refresh(store));
        attempt("Deleting retained files", () -> RetainedFiles.expire(store));
        publishRetained();
    }

    /** Publishes by gossip what this node has retained. */
    public static void publishRetained()
    {
        RetainedFiles.publish();
    }

    /** True while a session has not yet exchanged with its peer what is to be sent. */
    static boolean isAnyBeingPrepared()
    {
        // Cassandra records a session's state when it begins, when it is prepared and when it ends
        return StreamManager.instance.getCurrentStreams().stream()
                                     .map(StreamStateCompositeData::fromCompositeData)
                                     .flatMap(plan -> plan.sessions.stream())
                                     .anyMatch(session -> session.state == StreamSession.State.INITIALIZED);
    }

    /** Nothing of the table is merged in until {@link #releaseMergeIns}: more is about to come. */
    public static void holdMergeIns(TableId table)
    {
        MergeInTask.instance.hold(table);
    }

    public static void releaseMergeIns(TableId table)
    {
        MergeInTask.instance.release(table);
    }

    /** False while something of what the table received is to be merged in, or is being received. */
    public static boolean isMergedIn(TableId table)
    {
        return MergeInTask.instance.isMergedIn(table);
    }

    /** Called when the store is about to be closed. */
    public static void stop()
    {
        MergeInTask.instance.stop();
    }
}
