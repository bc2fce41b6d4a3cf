/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.gms.ApplicationState;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.gms.IEndpointStateChangeSubscriber;
import org.apache.cassandra.gms.VersionedValue;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.OwnJvm;
import io.cassiterite.engine.Store;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** The gossiper and its subscribers take locks: the publishing thread holds no monitor. */
@OwnJvm
class RetainedFilesGossipTest
{
    private final TableId table = TableId.generate();
    private final Set<Long> retained = new TreeSet<>();
    private final BlockingQueue<Set<Long>> published = new LinkedBlockingQueue<>();
    private final Subscriber subscriber = new Subscriber();
    private Set<Long> last = Set.of();
    private Store store;

    @BeforeEach
    void gossip()
    {
        store = TestMemtable.openStore("retained-gossip");
        InetAddressAndPort local = FBUtilities.getBroadcastAddressAndPort();
        if (Gossiper.instance.getEndpointStateForEndpoint(local) == null)
            Gossiper.instance.initializeNodeUnsafe(local, UUID.randomUUID(), 1);
        Gossiper.instance.register(subscriber);
    }

    @AfterEach
    void stop() throws InterruptedException
    {
        RetainedFiles.deleteUnused();
        awaitPublished(Set.of());
        Gossiper.instance.unregister(subscriber);
        store.close();
    }

    @Test
    void theMonitorIsFreeWhileItIsPublished() throws IOException, InterruptedException
    {
        retain("S-000001.sst");
        RetainedFiles.publish();
        awaitPublished(retained);
        RetainedFiles.deleteUnused();
        awaitPublished(Set.of());
        assertFalse(subscriber.monitorHeld);
    }

    @Test
    void changesDoNotWaitForTheGossiperAndTheLastIsPublishedLast() throws IOException, InterruptedException
    {
        subscriber.release = new CountDownLatch(1);
        retain("S-000001.sst");
        RetainedFiles.publish();
        retain("S-000002.sst");
        RetainedFiles.publish();
        retain("S-000003.sst");
        RetainedFiles.publish();
        subscriber.release.countDown();
        awaitPublished(retained);
        assertEquals(3, retained.size());
    }

    private void retain(String name) throws IOException
    {
        Path file = Files.write(Path.of(store.directory()).resolve(name), new byte[10]);
        RetainedFiles.retain(store, table, file, 10);
        retained.add(RetainedFiles.key(table, name, 10));
    }

    @Test
    void retainedFilesAreReadAsTheyWerePublished()
    {
        Set<Long> keys = Set.of(1L, -1L, Long.MIN_VALUE);
        assertEquals(keys, RetainedFilesGossip.decode(RetainedFilesGossip.encode(keys)));
        assertEquals(Set.of(), RetainedFilesGossip.decode(RetainedFilesGossip.encode(Set.of())));
        assertEquals(Set.of(), RetainedFilesGossip.decode("retained/2:AAAAAAAAAAA="));
        assertEquals(Set.of(), RetainedFilesGossip.decode("retained/1:!"));
    }

    private void awaitPublished(Set<Long> keys) throws InterruptedException
    {
        while (!last.equals(keys))
            last = published.take();
    }

    private final class Subscriber implements IEndpointStateChangeSubscriber
    {
        volatile boolean monitorHeld;
        volatile CountDownLatch release = new CountDownLatch(0);

        @Override
        public void onChange(InetAddressAndPort endpoint, ApplicationState state, VersionedValue value)
        {
            if (state != ApplicationState.X8)
                return;
            monitorHeld |= Thread.holdsLock(RetainedFiles.class);
            try
            {
                release.await();
            }
            catch (InterruptedException e)
            {
                throw new AssertionError(e);
            }
            published.add(RetainedFilesGossip.decode(value.value));
        }
    }
}
