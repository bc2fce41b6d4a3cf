/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.PartitionRangeReadCommand;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.partitions.SingletonUnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;

/** All rows that a query could select, in their order, for its filter to choose from. */
final class RowScan
{
    private RowScan()
    {
    }

    static UnfilteredPartitionIterator of(ColumnFamilyStore cfs, ReadCommand command, ReadExecutionController controller)
    {
        if (command instanceof PartitionRangeReadCommand)
            return ((PartitionRangeReadCommand) command).queryStorage(cfs, controller);
        SinglePartitionReadCommand single = (SinglePartitionReadCommand) command;
        return new SingletonUnfilteredPartitionIterator(single.queryMemtableAndDisk(cfs, controller));
    }
}
