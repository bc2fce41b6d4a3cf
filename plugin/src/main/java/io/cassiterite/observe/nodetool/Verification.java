/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.Collection;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.Verified;
import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.RemoteFailure;
import io.cassiterite.reflect.CompactionProgress;

/** A table's files being read; nodetool shows it among the compactions and can stop it. */
final class Verification extends CompactionInfo.Holder
{
    private final EngineControl engine;
    private final ColumnFamilyStore cfs;
    private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();

    Verification(EngineControl engine, ColumnFamilyStore cfs)
    {
        this.engine = engine;
        this.cfs = cfs;
    }

    /**
     * Returns when all files are read.
     *
     * @throws io.cassiterite.engine.EngineException of kind CORRUPTION for damage, of kind BUSY if it was stopped
     */
    Verified run(Verified.Depth depth, Collection<Range<Token>> ranges)
    {
        CompactionManager.instance.active.beginCompaction(this);
        try
        {
            return engine.verify(cfs, depth, ranges);
        }
        finally
        {
            CompactionManager.instance.active.finishCompaction(this);
        }
    }

    /** Ends every verification of the table. */
    @Override
    public void stop()
    {
        super.stop();
        RemoteFailure.guard("stopping the verification of " + cfs.metadata(), () -> engine.stopVerification(cfs));
    }

    @Override
    public CompactionInfo getCompactionInfo()
    {
        long[] bytes = engine.verifiedBytes(cfs);
        return CompactionProgress.of(cfs.metadata(), OperationType.VERIFY, id, bytes == null ? 0 : bytes[0], bytes == null ? 0 : bytes[1],
                                     CompactionInfo.Unit.BYTES);
    }

    @Override
    public boolean isGlobal()
    {
        return false;
    }
}
