/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.Collection;
import java.util.List;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;

/** Which partitions this node is a replica of. */
final class Ownership
{
    private Ownership()
    {
    }

    /** @return true if every partition of the keyspace belongs to this node */
    static boolean ownsEverything(String keyspace)
    {
        return coversRing(ranges(keyspace), DatabaseDescriptor.getPartitioner().getMinimumToken());
    }

    /** @return the ranges of the keyspace that this node is a replica of */
    static Collection<Range<Token>> ranges(String keyspace)
    {
        return StorageService.instance.getLocalReplicas(keyspace).ranges();
    }

    /** @return true if the node is about to get ranges of the keyspace, or to give some away */
    static boolean isChanging(String keyspace)
    {
        return !StorageService.instance.getTokenMetadata()
                                       .getPendingRanges(keyspace, FBUtilities.getBroadcastAddressAndPort()).isEmpty();
    }

    static boolean coversRing(Collection<Range<Token>> ranges, Token minimum)
    {
        List<Range<Token>> normalized = Range.normalize(ranges);
        Token expected = minimum;
        for (Range<Token> range : normalized)
        {
            if (!range.left.equals(expected))
                return false;
            expected = range.right;
        }
        return !normalized.isEmpty() && expected.equals(minimum);
    }
}
