/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.JVMStabilityInspector;

import io.cassiterite.index.IndexWatch;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.ColumnAges;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.Increments;
import io.cassiterite.memtable.SegmentRelease;
import io.cassiterite.memtable.SnapshotLists;
import io.cassiterite.move.Mover;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.NodeStore;
import io.cassiterite.node.ThroughputLimit;
import io.cassiterite.observe.Engine;
import io.cassiterite.observe.metrics.CompactionFigures;
import io.cassiterite.observe.metrics.EngineMetrics;
import io.cassiterite.observe.nodetool.CompactionManagerProxy;
import io.cassiterite.observe.nodetool.StorageServiceProxy;
import io.cassiterite.observe.tables.CompactionHistory;
import io.cassiterite.observe.tables.EngineKeyspace;
import io.cassiterite.repair.IncrementalRepairGate;
import io.cassiterite.repair.RepairSnapshots;
import io.cassiterite.repair.ScheduledRepairs;
import io.cassiterite.schema.SchemaSafetyNet;
import io.cassiterite.stream.Streams;

import static io.cassiterite.engine.BackgroundWork.attempt;

/**
 * The maintenance thread. When the node has started it finishes what {@link Plugin#start} could not do yet. From then
 * on it works once a second; a step that fails does not prevent the others. Before, it touches little: static
 * initializers of Cassandra depend on each other in circles, and two threads that enter such a circle deadlock.
 */
final class Maintenance implements Runnable
{
    private static final Logger logger = LoggerFactory.getLogger(Maintenance.class);

    private static final long STARTING_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STOP_WAIT_MS = 10_000;

    private final EngineControl engine;
    private final EngineTableSetup tableSetup;
    private final SchemaSafetyNet safetyNet;
    private final ErrorWatch errors;
    private final DamageWatch damage;
    private final ThroughputLimit throughput;
    private final CompactionFigures compactions;
    private final CompactionHistory history;
    private final SegmentRelease segments = new SegmentRelease();
    private final HeldTables held = new HeldTables(Clock.Global::nanoTime);
    private final Thread thread = new Thread(this, "cassiterite-maintenance");

    private final PendingSteps registrations = new PendingSteps();

    private volatile boolean stopped;
    private boolean verbsReplaced;
    private boolean schemaAdmitted;
    private boolean unknownReported;
    private boolean repairGateClosed;
    private long lookedForDamage;

    Maintenance(EngineControl engine, EngineTableSetup tableSetup, SchemaSafetyNet safetyNet)
    {
        this.engine = engine;
        this.tableSetup = tableSetup;
        this.safetyNet = safetyNet;
        this.errors = new ErrorWatch(engine,
                                     () -> engine.storeDirectory().toJavaIOFile().getUsableSpace(),
                                     JVMStabilityInspector::inspectThrowable);
        this.damage = new DamageWatch(engine, JVMStabilityInspector::inspectThrowable);
        this.throughput = new ThroughputLimit(engine, DatabaseDescriptor::getCompactionThroughputBytesPerSec);
        this.compactions = new CompactionFigures(engine);
        this.history = new CompactionHistory(engine);
        registrations.add("Noting the start of the node", ColumnAges::nodeHasStarted);
        registrations.add("Asking the engine for its version", this::logVersion);
        registrations.add("Registering the engine's MBean", () -> Engine.register(engine));
        registrations.add("Registering the engine's virtual tables", () -> EngineKeyspace.register(engine));
        registrations.add("Registering the engine's metrics", () -> EngineMetrics.register(engine));
        registrations.add("Adding the engine's compactions to Cassandra's metrics", compactions::install);
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    /** Returns when the thread does not touch the engine any more. */
    void stop()
    {
        stopped = true;
        LockSupport.unpark(thread);
        try
        {
            if (Thread.currentThread() != thread)
                thread.join(STOP_WAIT_MS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run()
    {
        while (!stopped)
        {
            attempt("Maintenance of the engine", this::tick);
            LockSupport.parkNanos(this, isStarting() ? STARTING_INTERVAL_NANOS : INTERVAL_NANOS);
        }
    }

    private boolean isStarting()
    {
        return !(registrations.areDone() && verbsReplaced && schemaAdmitted && ManagerInstaller.isSettled());
    }

    private void tick()
    {
        if (StorageService.instance.isDaemonSetupCompleted())
            maintainNode();
        else if (StorageService.instance.isGossipActive() && engine.isOpen())
            maintainJoining();
    }

    /** A node may join for hours before its setup is complete. */
    private void maintainJoining()
    {
        throughput.pass();
        long now = Clock.Global.nanoTime();
        if (now - lookedForDamage < INTERVAL_NANOS)
            return;
        lookedForDamage = now;
        attempt("Releasing segments of the commit log", segments::release);
        if (damage.check())
            tableSetup.followCompactionSwitches();
    }

    private void maintainNode()
    {
        attempt("Installing the managers of engine tables", ManagerInstaller::settle);
        if (!verbsReplaced)
            attempt("Installing nodetool's verbs for engine tables", this::replaceVerbs);
        if (!schemaAdmitted && ManagerInstaller.isSettled())
            attempt("Checking the schema's engine tables", this::admitSchema);
        attempt("Closing indexes on engine tables", safetyNet::closeIndexes);
        if (engine.isOpen())
            maintainEngine();
    }

    private void replaceVerbs()
    {
        verbsReplaced = StorageServiceProxy.install(engine) && CompactionManagerProxy.install(engine);
    }

    private void admitSchema()
    {
        safetyNet.admitAll();
        schemaAdmitted = true;
    }

    private void maintainEngine()
    {
        registrations.attempt();
        if (!unknownReported && schemaAdmitted)
            attempt("Looking for tables that the schema lacks", this::reportUnknown);
        if (!repairGateClosed)
            attempt("Installing the refusal of incremental repair", this::closeRepairGate);
        if (schemaAdmitted)
        {
            attempt("Starting the moves of tables", Mover.instance::start);
            attempt("Telling which tables are held", held::tell);
        }
        attempt("Adapting scheduled repairs", ScheduledRepairs::adapt);
        attempt("Releasing segments of the commit log", segments::release);
        attempt("Releasing the snapshots of repairs", RepairSnapshots::sweep);
        attempt("Listing the files of snapshots", SnapshotLists::completeAll);
        attempt("Bringing increments into backups", () -> Increments.bring(NodeStore.getIfOpen()));
        attempt("Checking for errors of the engine", errors::check);
        attempt("Checking for damaged files", damage::check);
        attempt("Applying the compaction throughput", throughput::pass);
        attempt("Maintenance of the engine tables", tableSetup::refresh);
        attempt("Counting the engine's compactions", compactions::update);
        attempt("Writing the history of the engine's compactions", history::update);
        attempt("Checking the indexes of engine tables", IndexWatch::check);
        attempt("Maintenance of streams", () -> Streams.refresh(NodeStore.getIfOpen()));
        attempt("Checking for ignored settings", Maintenance::checkSettings);
    }

    private static void checkSettings()
    {
        IgnoredSettings.check(EngineTables.all().stream().map(CassiteriteMemtable::metadata).collect(Collectors.toList()));
    }

    /** Once; until then incremental repair is refused later, when replicas are about to set sstables apart. */
    private void closeRepairGate()
    {
        repairGateClosed = true;
        IncrementalRepairGate.install();
    }

    private void reportUnknown()
    {
        unknownReported = true;
        UnknownTables.report(engine);
    }

    private void logVersion()
    {
        logger.info("{} opened {}, memory budget: {}", versions(engine.version()), engine.storeDirectory(), engine.memoryBudget());
    }

    /** "cassiterite/1 rocksdb/2" as people write it. */
    static String versions(String version)
    {
        return version.replaceFirst("^cassiterite/(\\S+) rocksdb/(\\S+)$", "Cassiterite $1 (RocksDB $2)");
    }
}
