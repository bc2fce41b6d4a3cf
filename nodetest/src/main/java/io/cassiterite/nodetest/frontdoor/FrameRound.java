/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.cassiterite.nodetest.frontdoor.TwinConnection.Fault;
import io.cassiterite.nodetest.frontdoor.TwinConnection.Side;

/** Random requests on the tables of one keyspace. One thread. */
final class FrameRound implements AutoCloseable
{
    private static final int TABLES = 5;
    private static final int FIRST_WRITES = 150;
    private static final int ONE_IN_SCHEMA_CHANGE = 250;
    private static final int[] VERSIONS = { 3, 4, 5 };

    private final String keyspace;
    private final Replicas replicas;
    private final Random random;
    private final FrameTally tally;
    private final List<TwinConnection> twins = new ArrayList<>();
    private final Exchanges exchanges;
    private final Workloads workloads;
    private final ReadSteps reads;
    private final WriteSteps writes;
    private final EventWatch events;
    private final List<CqlType> userTypes = new ArrayList<>();
    private final SchemaChanges changes;
    /** Statements so far, for reports. */
    private final List<String> schema = new ArrayList<>();

    FrameRound(String keyspace, Map<Side, InetSocketAddress> addresses, Replicas replicas, Fault fault, Random random, FrameTally tally)
        throws IOException
    {
        this.keyspace = keyspace;
        this.replicas = replicas;
        this.random = random;
        this.tally = tally;
        exchanges = new Exchanges(twins, random, tally);
        workloads = new Workloads(keyspace, exchanges, random);
        reads = new ReadSteps(exchanges, twins, workloads, random);
        writes = new WriteSteps(exchanges, workloads, random);
        changes = new SchemaChanges(random, userTypes);
        for (int version : VERSIONS)
            for (Compression compression : Compression.values())
                // Version 5 has no snappy; the door passes all of it on.
                if (compression != Compression.SNAPPY || (version < 5 && random.nextInt(3) == 0))
                    twins.add(new TwinConnection(addresses, new Connection.Setup(version, compression, null), fault));
        createKeyspace();
        for (int version : VERSIONS)
            twins.add(new TwinConnection(addresses, new Connection.Setup(version, Compression.NONE, keyspace), fault));
        twins.forEach(twin -> tally.connected());
        events = new EventWatch(addresses);
        for (int i = 0; i < TABLES; i++)
            create(new Table(keyspace, "t" + i, random, userTypes));
    }

    private void createKeyspace()
    {
        must("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + Replicas.COUNT
             + '}');
        CqlType integer = CqlType.nativeType("int");
        CqlType text = CqlType.nativeType("text");
        must("CREATE TYPE " + keyspace + ".ut0 (a int, b text, c frozen<list<int>>)");
        userTypes.add(new CqlType(CqlType.Kind.UDT, "ut0", false,
                                  List.of(integer, text, new CqlType(CqlType.Kind.LIST, null, true, List.of(integer), List.of())),
                                  List.of("a", "b", "c")));
        must("CREATE TYPE " + keyspace + ".ut1 (x text, y double)");
        userTypes.add(new CqlType(CqlType.Kind.UDT, "ut1", false, List.of(text, CqlType.nativeType("double")), List.of("x", "y")));
    }

    private void create(Table table)
    {
        must(table.create());
        Workload workload = new Workload(table, random);
        workloads.add(workload);
        for (int i = 0; i < FIRST_WRITES; i++)
            writes.once(workload.write());
    }

    /** Runs a schema statement that the node must not refuse. */
    private void must(String cql)
    {
        schema.add(cql);
        TwinConnection twin = exchanges.anyTwin();
        Answer answer = new Answer(exchanges.call(twin, Requests.query(cql, twin.setup.version)));
        if (answer.isError())
            throw new IllegalStateException(cql + ": " + answer.message());
        replicas.agree();
    }

    /** One random step. */
    void step()
    {
        int pick = random.nextInt(100);
        if (random.nextInt(ONE_IN_SCHEMA_CHANGE) == 0)
            changeSchema();
        else if (pick < 60)
            reads.burst();
        else if (pick < 75)
            writes.burst();
        else if (pick < 80)
            writes.once(workloads.any().write());
        else if (pick < 82)
            writes.transaction();
        else if (pick < 89)
            reads.oddRequest();
        else if (pick < 92)
            writes.oddRequest();
        else if (pick < 96)
            reads.query();
        else
            writes.batch();
    }

    private void changeSchema()
    {
        Workload workload = workloads.any();
        for (SchemaChanges.Change change : changes.next(workload))
        {
            TwinConnection twin = exchanges.anyTwin();
            Request request = Requests.query(change.cql, twin.setup.version);
            if (new Answer(exchanges.call(twin, request)).isError())
            {
                exchanges.compareAlone(twin, request);
                continue;
            }
            schema.add(change.cql);
            replicas.agree();
            tally.schemaChanged();
            change.done.run();
            events.compare();
        }
        if (random.nextBoolean())
            workload.adapt();
        workloads.focus(workload);
    }

    /** @return the statements that made and changed the tables, for a reader */
    String schema()
    {
        return "schema:\n  " + String.join("\n  ", schema);
    }

    /** Drops the keyspace and closes all connections. */
    @Override
    public void close() throws IOException
    {
        must("DROP KEYSPACE " + keyspace);
        events.close();
        for (TwinConnection twin : twins)
            twin.close();
    }
}
