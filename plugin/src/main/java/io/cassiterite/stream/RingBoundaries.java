/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.locator.TokenMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.engine.Store;
import io.cassiterite.node.EngineTable;

/**
 * Where the engine cuts its files: at every token of the ring inside the ranges that this node has or gets. The ranges
 * that another node may request end there. Thread-safe.
 */
final class RingBoundaries
{
    private static final Logger logger = LoggerFactory.getLogger(RingBoundaries.class);

    /** The state of the ring and schema from which the boundaries were computed. */
    private static final class Basis
    {
        final long ringVersion;
        final List<Object> keyspaces = new ArrayList<>();

        Basis(long ringVersion)
        {
            this.ringVersion = ringVersion;
        }

        boolean isSame(Basis other)
        {
            return other != null && ringVersion == other.ringVersion && keyspaces.equals(other.keyspaces);
        }
    }

    private static Basis basis;
    private static Set<Token> told = Set.of();

    private RingBoundaries()
    {
    }

    /** Updates the engine if the ring has changed, or the keyspaces that have engine tables. Cheap if not. */
    static synchronized void refresh(Store store)
    {
        TokenMetadata ring = StorageService.instance.getTokenMetadata();
        Basis present = new Basis(ring.getRingVersion());
        Set<Token> boundaries = new TreeSet<>();
        List<KeyspaceMetadata> keyspaces = new ArrayList<>();
        for (KeyspaceMetadata keyspace : Schema.instance.distributedKeyspaces())
            // a keyspace that is still being opened must not be opened here: the two threads would deadlock
            if (hasEngineTable(keyspace) && Schema.instance.getKeyspaceInstance(keyspace.name) != null)
            {
                keyspaces.add(keyspace);
                present.keyspaces.add(keyspace.name);
                present.keyspaces.add(keyspace.params.replication);
            }
        if (present.isSame(basis))
            return;
        for (KeyspaceMetadata keyspace : keyspaces)
            addBoundaries(boundaries, StorageService.instance.getLocalAndPendingRanges(keyspace.name), ring);
        if (!boundaries.equals(told))
        {
            store.ring(boundaries);
            logger.info("Files of Cassiterite tables are cut at {} tokens of the ring from now on", boundaries.size());
        }
        told = boundaries;
        basis = present;
    }

    private static boolean hasEngineTable(KeyspaceMetadata keyspace)
    {
        for (TableMetadata table : keyspace.tables)
            if (EngineTable.is(table))
                return true;
        return false;
    }

    private static void addBoundaries(Set<Token> boundaries, List<Range<Token>> ranges, TokenMetadata ring)
    {
        List<Range<Token>> normalized = Range.normalize(ranges);
        for (Range<Token> range : normalized)
        {
            boundaries.add(range.left);
            boundaries.add(range.right);
        }
        addContained(boundaries, normalized, ring.sortedTokens());
        addContained(boundaries, normalized, new ArrayList<>(ring.getBootstrapTokens().keySet()));
        boundaries.removeIf(Token::isMinimum); // the last file ends at the end of the ring anyway
    }

    private static void addContained(Set<Token> boundaries, List<Range<Token>> ranges, List<Token> tokens)
    {
        for (Token token : tokens)
            if (ranges.stream().anyMatch(range -> range.contains(token)))
                boundaries.add(token);
    }
}
