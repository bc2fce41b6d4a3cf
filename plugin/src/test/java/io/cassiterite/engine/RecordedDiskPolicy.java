/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.FSErrorHandler;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.util.FileUtils;

import io.cassiterite.memtable.TestMemtable;

/** Stands in for Cassandra's disk failure policy during each test, and records what it was asked about. */
public final class RecordedDiskPolicy implements FSErrorHandler, BeforeEachCallback, AfterEachCallback
{
    private final List<Throwable> asked = new ArrayList<>();

    /** @return the failures, in their order */
    public List<Throwable> asked()
    {
        return asked;
    }

    @Override
    public void beforeEach(ExtensionContext context)
    {
        asked.clear();
        TestMemtable.initialize();
        FileUtils.setFSErrorHandler(this);
    }

    @Override
    public void afterEach(ExtensionContext context)
    {
        FileUtils.setFSErrorHandler(null);
    }

    @Override
    public void handleCorruptSSTable(CorruptSSTableException e)
    {
        asked.add(e);
    }

    /** Fails itself, as a policy may. */
    @Override
    public void handleFSError(FSError e)
    {
        asked.add(e);
        throw new IllegalStateException("a test's policy");
    }
}
