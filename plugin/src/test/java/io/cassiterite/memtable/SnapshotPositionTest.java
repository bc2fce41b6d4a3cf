/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.apache.cassandra.db.commitlog.CommitLogPosition;

import static org.junit.jupiter.api.Assertions.assertEquals;

class SnapshotPositionTest
{
    @TempDir
    Path snapshot;

    @BeforeAll
    static void cassandraAsALibrary()
    {
        TestNode.initialize();
    }

    /** Its second line goes into commitlog_archiving.properties as it is. */
    @Test
    void itIsWrittenAsItAlwaysWas() throws Exception
    {
        SnapshotPosition.write(snapshot, new CommitLogPosition(1769892192000L, 17));
        String golden = "cassiterite snapshot position 1\nsnapshot_commitlog_position=1769892192000, 17\ncrc32c=";
        assertEquals(golden, Files.readString(snapshot.resolve(SnapshotPosition.FILE_NAME)).substring(0, golden.length()));
    }
}
