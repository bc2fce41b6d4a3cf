/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import com.google.common.util.concurrent.RateLimiter;

import org.apache.cassandra.db.compaction.AbstractCompactionStrategy.ScannerList;
import org.apache.cassandra.db.compaction.CompactionManager;

/** Scans of sstables read no more than compaction_throughput, together with compactions. For one thread. */
final class ScanThrottle
{
    private final ScannerList scanners;
    private final double compressionRatio;
    private long scannedBytes;

    ScanThrottle(ScannerList scanners)
    {
        this.scanners = scanners;
        double ratio = scanners.getCompressionRatio();
        this.compressionRatio = ratio > 0 ? ratio : 1;
    }

    void await()
    {
        long scanned = scanners.getTotalBytesScanned();
        long bytes = (long) ((scanned - scannedBytes) * compressionRatio);
        if (bytes <= 0)
            return;
        scannedBytes = scanned;
        RateLimiter limiter = CompactionManager.instance.getRateLimiter();
        limiter.acquire((int) Math.min(bytes, Integer.MAX_VALUE));
    }
}
