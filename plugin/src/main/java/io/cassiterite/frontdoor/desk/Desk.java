/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.guardrails.Guardrails;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.CacheService;
import org.apache.cassandra.utils.MD5Digest;
import org.apache.cassandra.utils.Throwables;
import org.apache.cassandra.utils.UUIDGen;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.Door.Wanted;
import io.cassiterite.engine.Door.WantedTable;
import io.cassiterite.memtable.EngineTables;

import static io.cassiterite.engine.BackgroundWork.attempt;

/**
 * What Java tells the front door, so that it gives no answer that Cassandra could not give. Safe to use from any thread;
 * {@link #conditionsChanged} and {@link #tableChanged} are for whoever has changed something and has told nobody yet.
 */
public final class Desk
{
    private static final Logger logger = LoggerFactory.getLogger(Desk.class);

    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_WANTED = 10_000;
    private static final int IDLE_THREAD_SECONDS = 10;

    private final LongFunction<ClientConnection> atDoor;
    private final Lease lease;
    private final CassandraTables cassandraTables;
    private final OpenTables tables;
    private final OpenTables writtenTables;
    private final RecordWatch records;
    private final Grants grants;
    private final Recipes recipes;
    private final Logins logins;
    private final ServedFigures figures;
    private final SchemaWatch schemaWatch = new SchemaWatch(this::schemaChanged, this::answerNothing);
    private final RingWatch ringWatch = new RingWatch(this::ringChanged);
    private final BlockingQueue<Wanted> wanted = new ArrayBlockingQueue<>(MAX_WANTED);
    private final WantedTables toRead;
    private final WantedTables toWrite;
    private final BooleanSupplier comparesReplicas;
    private final Supplier<WriteMode> writes;
    private final MissedWrites missedWrites;

    /** Whether a guardrail limits IN, as all recipes were learned. */
    private volatile boolean limitsIn;
    private DeskThread watch;
    private DeskThread clerk;
    private DeskThread ringClerk;
    private long lastRound;
    private long lastSecond;

    /**
     * @param comparesReplicas whether several replicas may answer a read; asked again and again
     * @param writes           which writes are the door's; asked again and again
     */
    public Desk(Door door, ClientConnections connections, BooleanSupplier comparesReplicas, Supplier<WriteMode> writes)
    {
        this(new EngineDoor(door), new EngineWrites(door.writes()), connections, comparesReplicas, writes);
    }

    private Desk(NativeDoor door, NativeWrites writes, ClientConnections connections, BooleanSupplier comparesReplicas,
                 Supplier<WriteMode> writeMode)
    {
        this.writes = writeMode;
        missedWrites = new MissedWrites(writes::endCopies);
        this.comparesReplicas = comparesReplicas;
        atDoor = connections::atDoor;
        lease = new Lease(door, NodeGate::closed);
        cassandraTables = new CassandraTables(new TrackerWatch(this::tableChanged), comparesReplicas, this::replicatesWrites);
        tables = new OpenTables(door, cassandraTables::state);
        writtenTables = new OpenTables(writes::openTable, id -> {
            writes.closeTable(id);
            forgetCachedRows(id);
        }, this::writeState);
        toRead = new WantedTables(tables, comparesReplicas);
        toWrite = new WantedTables(writtenTables, this::replicatesWrites);
        records = new RecordWatch(writes);
        grants = new Grants(door, new CassandraAuthority(), decidingThreads(), DatabaseDescriptor::getNativeTransportAllowOlderProtocols,
                            System::nanoTime);
        recipes = new Recipes(door, writes, new CassandraStatements(this::takesWrites), tables, writtenTables, grants, System::nanoTime);
        logins = new Logins(door);
        figures = new ServedFigures(door, connections::find); // the last answers of who has left, too
    }

    /** Threads that end when they have nothing to do. */
    private static Executor decidingThreads()
    {
        return new ThreadPoolExecutor(0, Decisions.MAX_THREADS, IDLE_THREAD_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
            Thread thread = new Thread(work, "cassiterite-desk-permissions");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The door may answer from now on, while no gate is closed. */
    public synchronized void start()
    {
        if (watch != null)
            return;
        schemaWatch.register();
        ringWatch.register();
        lease.start();
        watch = new DeskThread("cassiterite-desk", "Watching the gates of the front door", this::watchRound);
        clerk = new DeskThread("cassiterite-desk-clerk", "Deciding what the front door may answer", this::clerkStep);
        ringClerk = new DeskThread("cassiterite-desk-ring", "Computing of what the node is a replica", this::ringRound);
        missedWrites.start();
        watch.start();
        clerk.start();
        ringClerk.start();
    }

    /** The door answers nothing when this returns. */
    public synchronized void stop()
    {
        if (watch == null)
            return;
        lease.stop();
        schemaWatch.unregister();
        ringWatch.unregister();
        watch.stop();
        clerk.stop();
        ringClerk.stop();
        watch = clerk = ringClerk = null;
        recipes.clear();
        tables.clear();
        writtenTables.clear();
        records.stop();
        grants.clear();
        wanted.clear();
        toRead.clear();
        toWrite.clear();
    }

    /** Whether the door may answer anything now. */
    public boolean answers()
    {
        return lease.isHeld();
    }

    /** A connection has executed a statement that the door would like to answer next time. Where too many have, it asks again. */
    public void wanted(Wanted request)
    {
        wanted.offer(request);
    }

    /** Another node would read a table for its clients, or write to it. Where too many tables are wanted, it asks again. */
    public void wantedTable(WantedTable table)
    {
        (table.writes ? toWrite : toRead).add(table.tableId);
    }

    /** Where writes go that were acknowledged, and that replicas may lack. */
    public MissedWrites missedWrites()
    {
        return missedWrites;
    }

    private boolean takesWrites()
    {
        return writes.get() != WriteMode.OFF;
    }

    /** Other doors are there for reads. */
    private boolean replicatesWrites()
    {
        return writes.get() == WriteMode.REPLICATED && comparesReplicas.getAsBoolean();
    }

    /** Something has changed on which a gate may depend. */
    public void conditionsChanged()
    {
        checkGuardrailOfIn();
        look(lease, grants, tables, writtenTables);
    }

    /**
     * The lease last: after the JVM has stood still it must not revive what has grown old meanwhile. Nor must it where that
     * could not be withdrawn.
     */
    static void look(Lease lease, Grants grants, OpenTables... tables)
    {
        // each of them, also where another fails
        Throwable failure = Throwables.perform((Throwable) null, grants::expire);
        for (OpenTables some : tables)
            failure = Throwables.perform(failure, some::refresh);
        Throwables.maybeFail(Throwables.perform(failure, failure == null ? lease::check : lease::suspend));
    }

    private void checkGuardrailOfIn()
    {
        boolean limits = Guardrails.inSelectCartesianProduct.enabled();
        if (limits == limitsIn)
            return;
        // Who comes at the same time clears them, too, and returns no earlier.
        recipes.clear();
        limitsIn = limits;
    }

    /** Something has changed on which a gate of this table may depend. */
    public void tableChanged(TableId table)
    {
        Throwables.maybeFail(Throwables.perform((Throwable) null, () -> tables.close(table), () -> writtenTables.close(table)));
    }

    private void schemaChanged(SchemaWatch.Change change)
    {
        schemaChanged(change, recipes, tables, writtenTables);
    }

    /**
     * The tables first: a recipe of after the change that met one as it was before would be of another layout than it, for as long as
     * the recipe lives.
     */
    static void schemaChanged(SchemaWatch.Change change, Recipes recipes, OpenTables... tables)
    {
        // each of them, also where another fails
        Throwable failure = null;
        for (OpenTables some : tables)
            failure = Throwables.perform(failure, () -> some.close(change::concerns));
        failure = Throwables.perform(failure, () -> recipes.schemaChanged(change::concerns));
        for (OpenTables some : tables)
            failure = Throwables.perform(failure, some::refresh);
        Throwables.maybeFail(failure);
    }

    private void refreshTables()
    {
        Throwables.maybeFail(Throwables.perform((Throwable) null, tables::refresh, writtenTables::refresh));
    }

    /** Native writes invalidate nothing: while ALTER had rows cached already, an older one may have been. */
    private static void forgetCachedRows(byte[] id)
    {
        TableMetadata table = Schema.instance.getTableMetadata(TableId.fromUUID(UUIDGen.getUUID(ByteBuffer.wrap(id))));
        if (table != null && table.params.caching.cacheRows())
            CacheService.instance.invalidateRowCacheForCf(table);
    }

    /** The first table begins the watch of records that rows must not outlive. */
    private TableState writeState(TableId id)
    {
        if (!takesWrites())
            return TableState.closed(Set.of());
        TableState state = cassandraTables.writeState(id);
        Runnable sync = state.isOpen() ? EngineTables.recordSync(EngineTables.find(id)) : null;
        if (sync != null)
            records.start(sync);
        return state;
    }

    /** The door is to write, or not to any more; that has its effect when this returns. */
    public void writesChanged()
    {
        recipes.forgetWrites();
        refreshTables();
        if (!takesWrites())
            records.stop();
    }

    /** Tables whose replicas are not known any more are closed until the next round. */
    private void ringChanged()
    {
        refreshTables();
    }

    /** A recipe of the old schema may be left: no answer is better than a wrong one. */
    private void answerNothing()
    {
        logger.error("The front door answers nothing any more, Cassandra does: it could not take in a schema change. Set front_door to" +
                     " proxy, and then to reads again");
        lease.stop();
    }

    /** Waits for nothing but the time: rights that nobody renews end. */
    private void watchRound()
    {
        long end = System.nanoTime() + ROUND_NANOS;
        conditionsChanged();
        attempt("Deciding what the front door may answer", grants::decide);
        for (long left = ROUND_NANOS; left > 0; left = end - System.nanoTime())
            LockSupport.parkNanos(this, grants.tend() ? Math.min(Decisions.SLOW_NANOS, left) : left);
    }

    private void clerkStep() throws InterruptedException
    {
        long untilRound = lastRound + ROUND_NANOS - System.nanoTime();
        Wanted next = wanted.poll(Math.max(0, untilRound), TimeUnit.NANOSECONDS);
        // One that cannot be served must not hold up the rounds.
        if (next != null)
            attempt("Serving a wish of the front door", () -> serve(next));
        long now = System.nanoTime();
        if (now - lastRound >= ROUND_NANOS)
            clerkRound(now);
    }

    private void serve(Wanted next)
    {
        ClientConnection connection = atDoor.apply(next.connection);
        Login login = connection == null ? null : logins.admit(next.connection, connection);
        Statement statement = login == null ? null : recipes.want(MD5Digest.wrap(next.statementId));
        if (statement != null)
            grants.want(login, statement);
    }

    private void clerkRound(long now)
    {
        lastRound = now;
        attempt("Opening tables that other nodes read", () -> toRead.open(now));
        attempt("Opening tables that other nodes write to", () -> toWrite.open(now));
        if (now - lastSecond >= SECOND_NANOS)
            clerkSecond(now);
    }

    /** A thread of its own: this takes long where there are many tokens. */
    private void ringRound()
    {
        Set<String> keyspaces = recipes.keyspaces();
        Stream.of(tables, writtenTables).flatMap(open -> open.ofOthers().stream()).map(Schema.instance::getTableMetadata)
              .filter(Objects::nonNull).forEach(table -> keyspaces.add(table.keyspace));
        cassandraTables.computeRanges(keyspaces);
        LockSupport.parkNanos(this, ROUND_NANOS);
    }

    private void clerkSecond(long now)
    {
        lastSecond = now;
        attempt("Comparing the front door's plans with Cassandra's statements", recipes::compareWithCassandra);
        attempt("Reviewing the front door's logins", () -> logins.review(atDoor));
        attempt("Recording what the front door has served", this::recordServed);
    }

    private void recordServed()
    {
        Served served = figures.collect();
        grants.used(logins.of(served.connections.keySet()), recipes.used(served.statements));
    }

    /** @return what {@link #gates} has while there is no desk */
    public static String noGates()
    {
        return GateReport.HEADER;
    }

    /** @return what {@link #recipes} has while there is no desk */
    public static String noRecipes()
    {
        return RecipeReport.HEADER;
    }

    /** @return the gates that are closed, as lines of tab-separated values, the first line names the columns */
    public String gates()
    {
        return GateReport.of(lease.closed(), List.of(tables.closed(), writtenTables.closed()));
    }

    /** @return the statements that the door knows, as lines of tab-separated values, the first line names the columns */
    public String recipes()
    {
        RecipeReport report = new RecipeReport();
        recipes.report(report);
        return report.toString();
    }
}
