/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;

import org.apache.cassandra.cql3.Operator;
import org.apache.cassandra.cql3.statements.schema.IndexTarget;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.WriteContext;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.IndexRegistry;
import org.apache.cassandra.index.SecondaryIndexBuilder;
import org.apache.cassandra.index.TargetParser;
import org.apache.cassandra.index.transactions.IndexTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.Pair;

import io.cassiterite.engine.Table;

/**
 * An index of an engine table, kept in the engine beside the table (docs/internals/index.md). Cassandra makes one for
 * each CREATE INDEX on such a table. Thread-safe.
 */
public final class EngineIndex implements Index
{
    private static final Index.IndexBuildingSupport BUILDING = EngineIndex::build;
    private static final int ESTIMATE_S = 10;

    private final ColumnFamilyStore cfs;
    private final AtomicInteger bulkLoads = new AtomicInteger();
    private final Supplier<Long> entriesPerValue;
    private volatile boolean held;
    private final CreatedIndex inEngine;
    private volatile IndexMetadata metadata;
    private volatile IndexedColumn column;

    /** Cassandra finds this constructor by its parameters. */
    public EngineIndex(ColumnFamilyStore cfs, IndexMetadata metadata)
    {
        this.cfs = cfs;
        this.metadata = metadata;
        this.column = parse(cfs.metadata(), metadata);
        this.inEngine = new CreatedIndex(cfs, metadata.name);
        // A schema change must not be half applied: what fails here is tried again with each build.
        inEngine.ensureCreated();
        this.entriesPerValue = Suppliers.memoizeWithExpiration(() -> IndexSize.entriesPerValue(cfs, name()), ESTIMATE_S, TimeUnit.SECONDS);
    }

    private static IndexedColumn parse(TableMetadata table, IndexMetadata index)
    {
        Pair<ColumnMetadata, IndexTarget.Type> target = TargetParser.parse(table, index);
        return new IndexedColumn(table, target.left, target.right, TextTransform.of(table, target.left, target.right, index.options));
    }

    /**
     * Cassandra calls this by its name when an index is created.
     *
     * @return the options that mean nothing here
     * @throws InvalidRequestException if the column cannot have these options
     */
    public static Map<String, String> validateOptions(Map<String, String> options, TableMetadata table)
    {
        return IndexOptions.unknown(options, table);
    }

    String name()
    {
        return metadata.name;
    }

    /** Names the index in write requests. */
    int number()
    {
        return inEngine.number();
    }

    /** Whether the engine has the index, and so takes entries. */
    boolean isCreated()
    {
        return inEngine.isCreated();
    }

    /** Creates the index in the engine, unless it is there; why it could not, or null. */
    RuntimeException ensureCreated()
    {
        return inEngine.ensureCreated();
    }

    IndexedColumn column()
    {
        return column;
    }

    boolean isQueryable()
    {
        return cfs.indexManager.isIndexQueryable(this);
    }

    /** Whether each row of a generation has its entries, or will have once what is being loaded has been indexed. */
    boolean isUpToDate(Table table)
    {
        return isCreated() && (bulkLoads.get() > 0 || table.isIndexComplete(number()));
    }

    /** While rows come as files, whose entries come right after them. */
    void bulkLoading(boolean begins)
    {
        bulkLoads.addAndGet(begins ? 1 : -1);
    }

    /** Until somebody asks for a build, {@link IndexWatch} begins none. */
    void hold(boolean isHeld)
    {
        held = isHeld;
    }

    boolean isHeld()
    {
        return held;
    }

    // --- life

    @Override
    public void register(IndexRegistry registry)
    {
        registry.registerIndex(this, IndexGroup.KEY, IndexGroup::new);
    }

    @Override
    public void unregister(IndexRegistry registry)
    {
        registry.unregisterIndex(this, IndexGroup.KEY);
    }

    @Override
    public IndexMetadata getIndexMetadata()
    {
        return metadata;
    }

    /** Builds the index, unless a former run of the node has. */
    @Override
    public Callable<?> getInitializationTask()
    {
        boolean isComplete = isCreated() && table().indexState(name()).complete;
        if (isComplete && SystemKeyspace.isIndexBuilt(cfs.getKeyspaceName(), name()))
            return null;
        return () -> {
            FBUtilities.waitOnFuture(CompactionManager.instance.submitIndexBuild(IndexBuild.full(cfs, List.of(this))));
            return null;
        };
    }

    private Table table()
    {
        return IndexBuild.tableOf(cfs);
    }

    /** Dropped and made again while this node was down, an index of the same name may be another one. */
    @Override
    public Callable<?> getMetadataReloadTask(IndexMetadata reloaded)
    {
        return () -> {
            if (metadata.equalsWithoutName(reloaded))
                reparse(reloaded);
            else
                replace(reloaded);
            return null;
        };
    }

    private void reparse(IndexMetadata reloaded)
    {
        column = parse(cfs.metadata(), reloaded);
        metadata = reloaded;
    }

    private void replace(IndexMetadata successor)
    {
        cfs.indexManager.removeIndex(name());
        cfs.indexManager.addIndex(successor, false);
    }

    @Override
    public Callable<?> getInvalidateTask()
    {
        return () -> {
            inEngine.drop();
            return null;
        };
    }

    /** None: the engine truncates a table and its indexes at once (danger S10). */
    @Override
    public Callable<?> getTruncateTask(long truncatedAt)
    {
        return null;
    }

    /** None: a flush of the table is one of its indexes. */
    @Override
    public Callable<?> getBlockingFlushTask()
    {
        return null;
    }

    @Override
    public Optional<ColumnFamilyStore> getBackingTable()
    {
        return Optional.empty();
    }

    /** False for sstables that the calling thread adds when it has given them entries: see {@link IndexedLanding}. */
    @Override
    public boolean shouldBuildBlocking()
    {
        return !TableBuilds.of(cfs).isOfThisThread();
    }

    @Override
    public Index.IndexBuildingSupport getBuildTaskSupport()
    {
        return BUILDING;
    }

    private static SecondaryIndexBuilder build(ColumnFamilyStore cfs, Set<Index> indexes, Collection<SSTableReader> sstables,
                                               boolean isFull)
    {
        List<EngineIndex> built = IndexBuild.engineIndexes(indexes);
        return isFull ? IndexBuild.full(cfs, built) : IndexBuild.of(cfs, built, sstables);
    }

    /** An index whose build failed takes entries, and answers nothing. */
    @Override
    public LoadType getSupportedLoadTypeOnFailure(boolean isInitialBuild)
    {
        return LoadType.WRITE;
    }

    @Override
    public boolean isQueryable(Status status)
    {
        return status == Status.BUILD_SUCCEEDED || status == Status.UNKNOWN;
    }

    // --- what it answers

    @Override
    public boolean dependsOn(ColumnMetadata other)
    {
        return column.column.name.equals(other.name);
    }

    @Override
    public boolean supportsExpression(ColumnMetadata asked, Operator operator)
    {
        return column.supports(asked, operator);
    }

    /** All of them lead to rows. */
    @Override
    public boolean filtersMultipleContains()
    {
        return false;
    }

    @Override
    public AbstractType<?> customExpressionValueType()
    {
        return null;
    }

    @Override
    public RowFilter getPostIndexQueryFilter(RowFilter filter)
    {
        return filter;
    }

    /** Entries for each value, as far as a sample tells. Cassandra asks before each query. */
    @Override
    public long getEstimatedResultRows()
    {
        return entriesPerValue.get();
    }

    @Override
    public Searcher searcherFor(ReadCommand command)
    {
        throw new UnsupportedOperationException("a plan searches, which may use several indexes");
    }

    @Override
    public Indexer indexerFor(DecoratedKey key, RegularAndStaticColumns columns, long nowInSec, WriteContext ctx,
                              IndexTransaction.Type transactionType, Memtable memtable)
    {
        throw new UnsupportedOperationException("the group gives entries to all indexes at once");
    }

    // --- what it takes

    @Override
    public void validate(PartitionUpdate update, ClientState state)
    {
        IndexedColumn indexed = column;
        IndexedColumn.Sink check = (value, row, path, liveness) -> checkSize(indexed, value);
        if (!update.staticRow().isEmpty())
            indexed.entries(update.partitionKey(), update.staticRow(), check);
        update.forEach(row -> indexed.entries(update.partitionKey(), row, check));
    }

    /** A value of several parts counts as Cassandra composes it, with three bytes for each. */
    private void checkSize(IndexedColumn indexed, Clustering<?> value)
    {
        int size = value.size() == 1 ? 0 : 3 * value.size();
        for (int i = 0; i < value.size(); i++)
            size += value.bufferAt(i).remaining();
        if (size >= FBUtilities.MAX_UNSIGNED_SHORT)
            throw new InvalidRequestException(String.format("Cannot index value of size %d for index %s on %s(%s)"
                                                            + " (maximum allowed size=%d)", size, name(), cfs.metadata,
                                                            indexed.column.name, FBUtilities.MAX_UNSIGNED_SHORT));
    }

    @Override
    public void validate(ReadCommand command)
    {
        for (RowFilter.Expression expression : command.rowFilter())
            if (!expression.isCustom() && supportsExpression(expression.column(), expression.operator())
                && expression.getIndexValue().remaining() > FBUtilities.MAX_UNSIGNED_SHORT)
                throw new InvalidRequestException("Index expression values may not be larger than 64K");
    }
}
