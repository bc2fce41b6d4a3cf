/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.metrics.StorageMetrics;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.utils.NoSpamLogger;

/**
 * Checks that a node gets only ranges that it owns or is about to own. Others are counted, logged and refused as
 * Cassandra does for each partition of an sstable (CassandraStreamReader).
 */
final class TokenOwnership
{
    private static final Logger logger = LoggerFactory.getLogger(TokenOwnership.class);

    /** Cassandra 5.0.0 has neither the settings nor the check. */
    private static final boolean IS_CHECKED = isChecked();

    private TokenOwnership()
    {
    }

    /** @throws IOException if the shipment has other ranges and the node is set to reject them */
    static void check(ColumnFamilyStore cfs, StreamSession session, StreamHeader header) throws IOException
    {
        if (!IS_CHECKED || header.ranges.isEmpty())
            return;
        List<Range<Token>> owned = Range.normalize(StorageService.instance.getLocalAndPendingRanges(cfs.getKeyspaceName()));
        List<Range<Token>> others = notOwned(header.ranges, owned);
        if (others.isEmpty())
            return;
        StorageMetrics.totalOpsForInvalidToken.inc();
        String message = String.format("[Stream #%s] %s sends ranges of %s that are not this node's: %s, where it has %s", session.planId(),
                                       session.peer, cfs.metadata(), others, owned);
        if (DatabaseDescriptor.getLogOutOfTokenRangeRequests())
            NoSpamLogger.log(logger, NoSpamLogger.Level.WARN, 1, TimeUnit.SECONDS, message);
        if (DatabaseDescriptor.getRejectOutOfTokenRangeRequests())
            throw new IOException(message);
    }

    private static boolean isChecked()
    {
        try
        {
            DatabaseDescriptor.class.getMethod("getRejectOutOfTokenRangeRequests");
            return true;
        }
        catch (NoSuchMethodException e)
        {
            return false;
        }
    }

    /**
     * @param owned normalized, as the ranges are
     * @return the ranges that are not wholly owned
     */
    static List<Range<Token>> notOwned(List<Range<Token>> ranges, List<Range<Token>> owned)
    {
        return ranges.stream().filter(range -> owned.stream().noneMatch(one -> one.contains(range))).collect(Collectors.toList());
    }
}
