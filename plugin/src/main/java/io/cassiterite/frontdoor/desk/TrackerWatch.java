/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.function.Consumer;

import org.apache.cassandra.db.lifecycle.Tracker;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.InitialSSTableAddedNotification;
import org.apache.cassandra.notifications.MemtableRenewedNotification;
import org.apache.cassandra.notifications.MemtableSwitchedNotification;
import org.apache.cassandra.notifications.SSTableAddedNotification;
import org.apache.cassandra.notifications.SSTableListChangedNotification;
import org.apache.cassandra.notifications.TruncationNotification;
import org.apache.cassandra.schema.TableId;

/** Tells when a table has got sstables beside the engine, or another memtable, before anybody is told of it. */
final class TrackerWatch implements INotificationConsumer
{
    private final Consumer<TableId> onChange;

    TrackerWatch(Consumer<TableId> onChange)
    {
        this.onChange = onChange;
    }

    /** From now on; whoever calls this looks at the table afterwards. */
    void watch(Tracker tracker)
    {
        if (!tracker.contains(this))
            tracker.subscribe(this);
    }

    @Override
    public void handleNotification(INotification notification, Object sender)
    {
        if (sender instanceof Tracker && isOfContent(notification) && ((Tracker) sender).cfstore != null)
            onChange.accept(((Tracker) sender).cfstore.metadata.id);
    }

    private static boolean isOfContent(INotification notification)
    {
        return notification instanceof SSTableAddedNotification
               || notification instanceof InitialSSTableAddedNotification
               || notification instanceof SSTableListChangedNotification
               || notification instanceof MemtableSwitchedNotification
               || notification instanceof MemtableRenewedNotification
               || notification instanceof TruncationNotification;
    }
}
