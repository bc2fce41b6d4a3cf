/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.pekko;

import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SnapshotOffer;

/** An actor whose state is the sum of its events: a snapshot of it after each so many of them. */
public final class Account extends AbstractPersistentActor
{
    private static final int EVENTS_PER_SNAPSHOT = 25;

    private final String id;
    private long sum;
    private long snapshotsPending;
    private ActorRef asker;

    public Account(String id)
    {
        this.id = id;
    }

    @Override
    public String persistenceId()
    {
        return id;
    }

    @Override
    public Receive createReceiveRecover()
    {
        return receiveBuilder().match(SnapshotOffer.class, offer -> sum = Long.parseLong((String) offer.snapshot()))
                               .match(String.class, this::add).build();
    }

    @Override
    public Receive createReceive()
    {
        return receiveBuilder().match(SaveSnapshotSuccess.class, saved -> end())
                               .match(DeleteMessagesSuccess.class, deleted -> end())
                               .matchEquals("state", any -> {
                                   asker = getSender();
                                   answer();
                               })
                               .matchEquals("forget", any -> {
                                   snapshotsPending++;
                                   deleteMessages(EVENTS_PER_SNAPSHOT);
                               })
                               .match(String.class, command -> persist(command, event -> {
                                   add(event);
                                   if (lastSequenceNr() % EVENTS_PER_SNAPSHOT == 0)
                                   {
                                       snapshotsPending++;
                                       saveSnapshot(Long.toString(sum));
                                   }
                               })).build();
    }

    private void add(String event)
    {
        sum += Long.parseLong(event.substring("deposit ".length()));
    }

    private void end()
    {
        snapshotsPending--;
        answer();
    }

    /** When all that was asked of the journal is there. */
    private void answer()
    {
        if (asker == null || snapshotsPending > 0)
            return;
        asker.tell(id + " has " + sum + " after " + lastSequenceNr(), getSelf());
        asker = null;
    }
}
