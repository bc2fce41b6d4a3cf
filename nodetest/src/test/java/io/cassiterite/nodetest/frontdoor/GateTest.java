/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.SstableLoader;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What ends native answers has ended them when it is acknowledged: the very next read is Cassandra's. */
@NodeTest(own = true, yaml = "memtable.configurations.cassiterite.parameters.front_door: reads")
class GateTest
{
    private static final String DOOR = "type=Cassiterite,scope=front_door,name=";
    private static final String STORAGE_SERVICE = "org.apache.cassandra.db:type=StorageService";
    private static final String STORAGE_PROXY = "org.apache.cassandra.db:type=StorageProxy";
    private static final String GUARDRAILS = "org.apache.cassandra.db:type=Guardrails";
    private static final String TABLES = "org.apache.cassandra.db:type=Tables,keyspace=gatetest,table=t";

    private static Cql observer;

    private NativeReads reads;

    /** Whoever connected before is Netty's. */
    @BeforeAll
    static void theFirstEngineTableOpensTheDoor(Node node)
    {
        try (Cql cql = node.cql("gatetest"))
        {
            cql.run("CREATE TABLE first (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        }
        node.log().await("Starting listening for CQL clients on .* through the front door", NativeAnswers.PATIENCE);
        observer = node.cql();
    }

    @AfterAll
    static void disconnect()
    {
        observer.close();
    }

    @BeforeEach
    void aTableThatIsReadNatively(Cql cql)
    {
        cql.run("DROP TABLE IF EXISTS gatetest.t");
        cql.run("CREATE TABLE gatetest.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO gatetest.t (k, v) VALUES (1, 10)");
        reads = new NativeReads(cql, observer, "SELECT v FROM gatetest.t WHERE k = ?", DefaultConsistencyLevel.ONE);
        reads.awaitNative(1);
    }

    private int value(int k)
    {
        return reads.read(k).get(0).getInt("v");
    }

    private void assertEndsAtOnce(String gate, Runnable close, Runnable open)
    {
        close.run();
        assertFalse(reads.isNative(1), gate);
        reads.awaitGate(gate, 1);
        open.run();
        reads.awaitNative(1);
    }

    private static void setAttribute(Node node, String bean, String attribute, Object value)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.set(bean, attribute, value);
        }
    }

    @Test
    void answersAreWhatWasWritten(Cql cql)
    {
        for (int i = 0; i < 100; i++)
        {
            cql.run("UPDATE gatetest.t SET v = ? WHERE k = 1", i);
            assertEquals(i, value(1));
        }
        reads.awaitNative(1);
        assertEquals(99, value(1));
        assertEquals(List.of(), reads.read(2));
    }

    /** Of a row that the door has just answered from the engine, and until the sstable has moved. */
    @Test
    void loadedSstablesAreReadAtOnce(Node node, Cql cql)
    {
        cql.run("CREATE TABLE gatetest.source (k int PRIMARY KEY, v int) WITH memtable = 'trie'");
        cql.run("INSERT INTO gatetest.source (k, v) VALUES (1, 11)");
        node.flush("gatetest", "source");
        node.direct("gatetest", "t", "hold");
        Path copies = SstableLoader.copies(node, "gatetest", "source");
        assertEndsAtOnce("SSTABLES", () -> SstableLoader.load(node, copies, "gatetest", "t").success(), () -> {
            assertEquals(11, value(1));
            node.direct("gatetest", "t", "in");
        });
        assertEquals(11, value(1));
        cql.run("DROP TABLE gatetest.source");
    }

    @Test
    void auditAndFullQueryLogMissNoQuery(Node node)
    {
        assertEndsAtOnce("QUERY_LISTENER", () -> node.nodetool("enableauditlog").success(),
                         () -> node.nodetool("disableauditlog").success());
        Path log = node.base().resolve("fql");
        assertEndsAtOnce("QUERY_LISTENER", () -> node.nodetool("enablefullquerylog", "--path", log.toString()).success(),
                         () -> node.nodetool("disablefullquerylog").success());
    }

    @Test
    void tracedReadsAreTraced(Node node)
    {
        assertEndsAtOnce("TRACING", () -> node.nodetool("settraceprobability", "1").success(),
                         () -> node.nodetool("settraceprobability", "0").success());
    }

    @Test
    void whatOperatorsSetOverJmxCountsAtOnce(Node node)
    {
        assertEndsAtOnce("RATE_LIMIT", () -> setAttribute(node, STORAGE_SERVICE, "NativeTransportRateLimitingEnabled", true),
                         () -> setAttribute(node, STORAGE_SERVICE, "NativeTransportRateLimitingEnabled", false));
        assertEndsAtOnce("READ_THRESHOLDS", () -> setAttribute(node, STORAGE_SERVICE, "ReadThresholdsEnabled", true),
                         () -> setAttribute(node, STORAGE_SERVICE, "ReadThresholdsEnabled", false));
        assertEndsAtOnce("DENYLIST", () -> setAttribute(node, STORAGE_PROXY, "EnablePartitionDenylist", true),
                         () -> setAttribute(node, STORAGE_PROXY, "EnablePartitionDenylist", false));
        assertEndsAtOnce("GUARDRAIL_PAGE_SIZE", () -> setPageSizes(node, 10, 20), () -> setPageSizes(node, -1, -1));
    }

    /** F22: the guardrail is asked for when a recipe is learned; recipes of before are forgotten. */
    @Test
    void aGuardrailOfInCountsAtOnce(Node node, Cql cql)
    {
        cql.run("DROP TABLE IF EXISTS gatetest.wide");
        cql.run("CREATE TABLE gatetest.wide (k int, c int, v int, PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
        NativeReads several = new NativeReads(cql, observer, "SELECT v FROM gatetest.wide WHERE k = ? AND c IN (1, 2, 3)",
                                              DefaultConsistencyLevel.ONE);
        several.awaitNative(1);
        setInCombinations(node, -1, 2);
        try
        {
            assertFalse(several.isNative(1));
        }
        finally
        {
            setInCombinations(node, -1, -1);
        }
        several.awaitNative(1);
    }

    private static void setInCombinations(Node node, int warn, int fail)
    {
        try (Jmx jmx = node.jmx())
        {
            String number = int.class.getName();
            jmx.invoke(GUARDRAILS, "setInSelectCartesianProductThreshold", new Object[]{ warn, fail },
                       new String[]{ number, number });
        }
    }

    private static void setPageSizes(Node node, int warn, int fail)
    {
        try (Jmx jmx = node.jmx())
        {
            String number = int.class.getName();
            jmx.invoke(GUARDRAILS, "setPageSizeThreshold", new Object[]{ warn, fail }, new String[]{ number, number });
        }
    }

    @Test
    void sampledReadsAreSampled(Node node)
    {
        String[] signature = { String.class.getName(), int.class.getName(), int.class.getName() };
        assertEndsAtOnce("SAMPLER",
                         () -> invoke(node, "beginLocalSampling", new Object[]{ "READS", 256, 60_000 }, signature),
                         () -> invoke(node, "finishLocalSampling", new Object[]{ "READS", 10 },
                                      new String[]{ String.class.getName(), int.class.getName() }));
    }

    private static void invoke(Node node, String operation, Object[] arguments, String[] signature)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.invoke(TABLES, operation, arguments, signature);
        }
    }

    /** F8 */
    @Test
    void truncatedRowsAreGoneAndNewOnesAreThere(Cql cql)
    {
        for (int round = 0; round < 20; round++)
        {
            reads.awaitNative(1);
            cql.run("TRUNCATE gatetest.t");
            assertEquals(List.of(), reads.read(1));
            cql.run("INSERT INTO gatetest.t (k, v) VALUES (1, ?)", round);
            assertEquals(round, value(1));
        }
        reads.awaitNative(1);
        assertEquals(19, value(1));
    }

    /** F15: the statement's id is the same, the table is not. */
    @Test
    void anotherTableOfTheSameNameHasItsOwnRows(Cql cql)
    {
        cql.run("DROP TABLE gatetest.t");
        cql.run("CREATE TABLE gatetest.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        assertEquals(List.of(), reads.read(1));
        cql.run("INSERT INTO gatetest.t (k, v) VALUES (1, 11)");
        reads.awaitNative(1);
        assertEquals(11, value(1));
    }

    /** F15 */
    @Test
    void aNewColumnIsSeenAtOnce(Cql cql)
    {
        NativeReads all = new NativeReads(cql, observer, "SELECT * FROM gatetest.t WHERE k = ?", DefaultConsistencyLevel.ONE);
        all.awaitNative(1);
        cql.run("ALTER TABLE gatetest.t ADD w int");
        cql.run("INSERT INTO gatetest.t (k, w) VALUES (1, 12)");
        assertEquals(12, all.read(1).get(0).getInt("w"));
        all.awaitNative(1);
        assertEquals(12, all.read(1).get(0).getInt("w"));
    }

    @Test
    void speculativeReadsAreLeftToCassandra(Cql cql)
    {
        assertEndsAtOnce("SPECULATIVE_RETRY", () -> cql.run("ALTER TABLE gatetest.t WITH speculative_retry = 'ALWAYS'"),
                         () -> cql.run("ALTER TABLE gatetest.t WITH speculative_retry = '99p'"));
    }

    /** F3: a quorum of two is two. */
    @Test
    void moreReplicasNeedMoreAnswers(Cql cql)
    {
        NativeReads quorum = new NativeReads(cql, observer, "SELECT v FROM gatetest.t WHERE k = ?", DefaultConsistencyLevel.QUORUM);
        quorum.awaitNative(1);
        cql.run("ALTER KEYSPACE gatetest WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
        AllNodesFailedException failure = assertThrows(AllNodesFailedException.class, () -> quorum.read(1));
        assertInstanceOf(UnavailableException.class, failure.getAllErrors().values().iterator().next().get(0));
        reads.awaitNative(1);
        cql.run("ALTER KEYSPACE gatetest WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        quorum.awaitNative(1);
    }

    /** F4: sstables come beside the engine. */
    @Test
    void importedRowsAreSeenAtOnce(Node node, Cql cql) throws IOException
    {
        cql.run("CREATE TABLE IF NOT EXISTS gatetest.stock (k int PRIMARY KEY, v int)");
        cql.run("INSERT INTO gatetest.stock (k, v) VALUES (2, 20)");
        node.flush("gatetest", "stock");
        Path copy = Files.createDirectories(node.base().resolve("import/gatetest/t"));
        try (Stream<Path> files = Files.walk(node.base().resolve("data/gatetest")))
        {
            for (Path file : files.filter(path -> path.toString().contains("/gatetest/stock-")).filter(Files::isRegularFile).toList())
                Files.copy(file, copy.resolve(file.getFileName()));
        }
        assertEquals(List.of(), reads.read(2));
        node.direct("gatetest", "t", "hold");
        node.nodetool("import", "gatetest", "t", copy.toString()).success();
        assertEquals(20, value(2));
        assertFalse(reads.isNative(2));
        reads.awaitGate("SSTABLES", 2);
        node.direct("gatetest", "t", "in");
        reads.awaitNative(2);
        assertEquals(20, value(2));
    }

    @Test
    void theDoorAnswersAgainAfterTheTransportHasStopped(Node node)
    {
        node.nodetool("disablebinary").success();
        node.nodetool("enablebinary").success();
        awaitTrue("the client has connected again", this::isAnswered);
        observer.awaitReconnection();
        reads.awaitNative(1);
    }

    private boolean isAnswered()
    {
        try
        {
            reads.read(1);
            return true;
        }
        catch (DriverException e)
        {
            return false;
        }
    }

    @Test
    void theModeChangesWhileClientsRead(Node node)
    {
        setMode(node, "proxy");
        assertFalse(reads.isNative(1));
        setMode(node, "reads");
        reads.awaitNative(1);
    }

    private static void setMode(Node node, String mode)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.parameter("front_door", mode);
        }
    }

    /** F25 would be seen in the coordinator's count. */
    @Test
    void cassandraCountsNativeReads(Node node)
    {
        int count = 500;
        long tables = countOf(node, "type=Table,keyspace=gatetest,scope=t,name=ReadLatency");
        long clients = countOf(node, "type=ClientRequest,scope=Read-ONE,name=Latency");
        long coordinator = countOf(node, "type=Table,keyspace=gatetest,scope=t,name=CoordinatorReadLatency");
        long natively = reads.answered();
        for (int i = 0; i < count; i++)
            reads.read(1);
        natively = reads.answered() - natively;
        assertTrue(natively > 0);
        awaitTrue("the table's reads are counted",
                  () -> countOf(node, "type=Table,keyspace=gatetest,scope=t,name=ReadLatency") >= tables + count);
        awaitTrue("the clients' reads are counted",
                  () -> countOf(node, "type=ClientRequest,scope=Read-ONE,name=Latency") >= clients + count);
        assertTrue(countOf(node, "type=Table,keyspace=gatetest,scope=t,name=CoordinatorReadLatency") <= coordinator + count - natively);
        awaitTrue("the door's counters are metrics", () -> metric(node, DOOR + "executes_answered", "Value") >= reads.answered());
        assertEquals(0, metric(node, DOOR + "answers_different", "Value"));
    }

    private static long countOf(Node node, String metric)
    {
        return metric(node, metric, "Count");
    }

    private static long metric(Node node, String metric, String attribute)
    {
        try (Jmx jmx = node.jmx())
        {
            return (Long) jmx.attribute("org.apache.cassandra.metrics:" + metric, attribute);
        }
    }
}
