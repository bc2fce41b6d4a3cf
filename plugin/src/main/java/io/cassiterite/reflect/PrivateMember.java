/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.reflect;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static io.cassiterite.reflect.MemberReference.oneOf;
import static io.cassiterite.reflect.PrivateMember.Use.FRONT_DOOR;
import static io.cassiterite.reflect.PrivateMember.Use.NODE;

/**
 * Every member of Cassandra and of its libraries that the plug-in uses and that is not public. The start of a node checks
 * all of them, so that none is found missing when it is needed. Safe from any thread.
 */
public enum PrivateMember
{
    STREAM_MANAGER(NODE, field("db.ColumnFamilyStore", "streamManager", "org.apache.cassandra.db.streaming.CassandraStreamManager")),
    REPAIR_MANAGER(NODE, field("db.ColumnFamilyStore", "repairManager", "org.apache.cassandra.repair.TableRepairManager")),
    KEYSPACE_WRITES(NODE, field("db.Keyspace", "writeHandler", "org.apache.cassandra.db.KeyspaceWriteHandler")),
    QUERYABLE_INDEXES(NODE, field("index.SecondaryIndexManager", "queryableIndexes", "java.util.Set")),
    CREATED_TABLE_ATTRIBUTES(NODE, field("cql3.statements.schema.CreateTableStatement", "attrs",
                                         "org.apache.cassandra.cql3.statements.schema.TableAttributes")),
    CREATED_INDEX_ATTRIBUTES(NODE, field("cql3.statements.schema.CreateIndexStatement", "attrs",
                                         "org.apache.cassandra.cql3.statements.schema.IndexAttributes")),
    CREATED_INDEX_TABLE(NODE, field("cql3.statements.schema.CreateIndexStatement", "tableName", "java.lang.String")),
    CREATED_INDEX_TARGETS(NODE, field("cql3.statements.schema.CreateIndexStatement", "rawIndexTargets", "java.util.List")),
    STATEMENT_PROPERTIES(NODE, field("cql3.statements.PropertyDefinitions", "properties", "java.util.Map")),
    TRANSACTION_INDEXERS(NODE, field("index.SecondaryIndexManager$WriteTimeTransaction", "indexers",
                                     "org.apache.cassandra.index.Index$Indexer[]")),
    STREAM_CHANNEL(NODE, field("net.AsyncStreamingInputPlus", "channel", "io.netty.channel.Channel")),
    /** Public since 5.0.8. */
    REPAIR_COMMANDS(NODE, field("service.StorageService", "nextRepairCommand", "java.util.concurrent.atomic.AtomicInteger")),

    /** Public; since 5.0.9 it takes a third number, the total before compression. */
    PROGRESS_WITHOUT_SSTABLES(NODE, oneOf(progress("long", "long", "long"), progress("long", "long"))),

    TABLE_WRITE_HANDLER(FRONT_DOOR, field("db.ColumnFamilyStore", "writeHandler", "org.apache.cassandra.db.CassandraTableWriteHandler")),
    SSL_KEYS(FRONT_DOOR, method("security.AbstractSslContextFactory", "buildKeyManagerFactory", "javax.net.ssl.KeyManagerFactory")),
    TRANSPORT_SERVICE(FRONT_DOOR, field("service.CassandraDaemon", "nativeTransportService",
                                        "org.apache.cassandra.service.NativeTransportService")),
    TRANSPORT_SERVERS(FRONT_DOOR, field("service.NativeTransportService", "servers", "java.util.Collection")),
    TRANSPORT_INITIALIZE(FRONT_DOOR, method("service.NativeTransportService", "initialize", "void")),
    SERVER_CONFIGURATOR(FRONT_DOOR, field("transport.Server", "pipelineConfigurator",
                                          "org.apache.cassandra.transport.PipelineConfigurator")),
    SERVER_DISPATCHER(FRONT_DOOR, field("transport.Server", "dispatcher", "org.apache.cassandra.transport.Dispatcher")),
    SERVER_CONNECTIONS(FRONT_DOOR, field("transport.Server", "connectionTracker",
                                         "org.apache.cassandra.transport.Server$ConnectionTracker")),
    SERVER_CONNECTION_FACTORY(FRONT_DOOR, field("transport.Server", "connectionFactory",
                                                "org.apache.cassandra.transport.Connection$Factory")),
    SERVER_WORKERS(FRONT_DOOR, field("transport.Server", "workerGroup", "io.netty.channel.EventLoopGroup")),
    CONNECTION_KEY(FRONT_DOOR, field("transport.Connection", "attributeKey", "io.netty.util.AttributeKey")),
    CONNECTION_STAGE(FRONT_DOOR, method("transport.ServerConnection", "stage", "org.apache.cassandra.transport.ConnectionStage")),
    FRAME_STASH(FRONT_DOOR, field("net.FrameDecoder", "stash", "java.nio.ByteBuffer")),
    LARGE_MESSAGE(FRONT_DOOR, field("net.AbstractMessageHandler", "largeMessage",
                                    "org.apache.cassandra.net.AbstractMessageHandler$LargeMessage")),
    DISCARDED_ENVELOPE(FRONT_DOOR, field("transport.Envelope$Decoder", "discardingTooLongMessage", "boolean")),
    DECODER_CUMULATION(FRONT_DOOR, MemberReference.field("io.netty.handler.codec.ByteToMessageDecoder", "cumulation",
                                                         "io.netty.buffer.ByteBuf")),
    TIMER_METER(FRONT_DOOR, MemberReference.field("com.codahale.metrics.Timer", "meter", "com.codahale.metrics.Meter")),
    TIMER_HISTOGRAM(FRONT_DOOR, MemberReference.field("com.codahale.metrics.Timer", "histogram", "com.codahale.metrics.Histogram")),
    HISTOGRAM_COUNT(FRONT_DOOR, MemberReference.field("com.codahale.metrics.Histogram", "count", "java.util.concurrent.atomic.LongAdder")),
    HISTOGRAM_RESERVOIR(FRONT_DOOR, MemberReference.field("com.codahale.metrics.Histogram", "reservoir", "com.codahale.metrics.Reservoir")),
    SCALED_RESERVOIR(FRONT_DOOR, field("metrics.ScalingReservoir", "delegate", "org.apache.cassandra.metrics.SnapshottingReservoir")),
    RESERVOIR_SCALE(FRONT_DOOR, field("metrics.ScalingReservoir", "scaleFunc",
                                      "org.apache.cassandra.metrics.ScalingReservoir$ScaleFunction")),
    RESERVOIR_OFFSETS(FRONT_DOOR, field("metrics.DecayingEstimatedHistogramReservoir", "bucketOffsets", "long[]")),
    RESERVOIR_BUCKETS(FRONT_DOOR, field("metrics.DecayingEstimatedHistogramReservoir", "buckets",
                                        "java.util.concurrent.atomic.AtomicLongArray")),
    RESERVOIR_CLOCK(FRONT_DOOR, field("metrics.DecayingEstimatedHistogramReservoir", "clock", "org.apache.cassandra.utils.MonotonicClock")),
    RESERVOIR_DECAYING(FRONT_DOOR, field("metrics.DecayingEstimatedHistogramReservoir", "decayingBuckets",
                                         "org.apache.cassandra.metrics.DecayingEstimatedHistogramReservoir$DecayingBuckets")),
    DECAYING_BUCKETS(FRONT_DOOR, field("metrics.DecayingEstimatedHistogramReservoir$DecayingBuckets", "decayBuckets",
                                       "java.util.concurrent.atomic.AtomicLongArray")),
    DECAYING_WEIGHT(FRONT_DOOR, method("metrics.DecayingEstimatedHistogramReservoir$DecayingBuckets", "forwardDecayWeight", "long",
                                       "long"));

    /** What cannot do without a member. */
    public enum Use
    {
        /** The node does not start. */
        NODE,
        /** The front door stays off. */
        FRONT_DOOR
    }

    private final Use use;
    private final MemberReference reference;

    PrivateMember(Use use, MemberReference reference)
    {
        this.use = use;
        this.reference = reference;
    }

    private static MemberReference field(String owner, String name, String type)
    {
        return MemberReference.field("org.apache.cassandra." + owner, name, type);
    }

    private static MemberReference method(String owner, String name, String result, String... parameters)
    {
        return MemberReference.method("org.apache.cassandra." + owner, name, result, parameters);
    }

    private static MemberReference progress(String... numbers)
    {
        List<String> parameters = new ArrayList<>(List.of("org.apache.cassandra.schema.TableMetadata",
                                                          "org.apache.cassandra.db.compaction.OperationType"));
        parameters.addAll(List.of(numbers));
        parameters.addAll(List.of("org.apache.cassandra.db.compaction.CompactionInfo$Unit", "org.apache.cassandra.utils.TimeUUID"));
        return method("db.compaction.CompactionInfo", "withoutSSTables", "org.apache.cassandra.db.compaction.CompactionInfo",
                      parameters.toArray(new String[0]));
    }

    /** @return the members of which this Cassandra has none of the same name and type, each with the reason */
    public static List<String> missing(Use use)
    {
        List<String> missing = new ArrayList<>();
        for (PrivateMember member : values())
            if (member.use == use && member.reference.missing() != null)
                missing.add(member.reference.missing());
        return missing;
    }

    /** @return a number that no repair of this node has had */
    public static int nextRepairCommand()
    {
        return ((AtomicInteger) REPAIR_COMMANDS.get(null)).incrementAndGet();
    }

    /** @return how many parameters the method has */
    public int parameters()
    {
        return reference.parameters();
    }

    /** @param owner null for a static field */
    public Object get(Object owner)
    {
        return reference.get(owner);
    }

    public void set(Object owner, Object value)
    {
        reference.set(owner, value);
    }

    /** @throws IllegalStateException whose cause is what the method has thrown */
    public Object invoke(Object owner, Object... arguments)
    {
        return reference.invoke(owner, arguments);
    }
}
