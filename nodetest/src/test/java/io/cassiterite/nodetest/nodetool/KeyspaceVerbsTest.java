/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A verb for a whole keyspace, or for all, does what it can: no engine table in it makes it fail. */
@NodeTest
class KeyspaceVerbsTest
{
    private static final String MIXED = "keyspaceverbs_mixed";
    private static final String ENGINE_ONLY = "keyspaceverbs_engine";
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final Node node;

    KeyspaceVerbsTest(Node node)
    {
        this.node = node;
    }

    @BeforeAll
    static void createTables(Cql cql, Node node)
    {
        for (String keyspace : List.of(MIXED, ENGINE_ONLY))
        {
            cql.run("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            cql.run("CREATE TABLE " + keyspace + ".e (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO " + keyspace + ".e (k) VALUES (1)");
        }
        cql.run("CREATE TABLE " + MIXED + ".s (k int PRIMARY KEY)");
        cql.run("INSERT INTO " + MIXED + ".s (k) VALUES (1)");
        node.nodetool("flush", MIXED).success();
    }

    @ParameterizedTest
    @ValueSource(strings = { "scrub", "verify -f", "compact -st 1 -et 100", "compact --partition 1", "compact", "garbagecollect",
                             "upgradesstables", "upgradesstables -a", "recompress_sstables", "relocatesstables", "cleanup", "flush",
                             "disableautocompaction", "statusautocompaction", "enableautocompaction",
                             "sstablerepairedset --really-set --is-repaired" })
    void verbSucceeds(String verb)
    {
        run(verb, MIXED).success();
        run(verb, ENGINE_ONLY).success();
    }

    @ParameterizedTest
    @ValueSource(strings = { "scrub", "verify -f", "compact -st 1 -et 100", "disableautocompaction", "enableautocompaction",
                             "sstablerepairedset --is-repaired" })
    void verbOnAllKeyspacesSucceeds(String verb)
    {
        run(verb).success();
    }

    @Test
    void stockTablesAreScrubbedAndTheOthersAreNamed()
    {
        String verb = "scrub";
        node.log().mark();
        Output output = run(verb, MIXED);
        assertTrue(output.text().contains("check server logs"), output::text);
        awaitLeftOut(verb, MIXED);
        assertFalse(node.log().grep("Scrubbing .*" + MIXED + "[./]s").isEmpty());

        assertTrue(run(verb, ENGINE_ONLY).text().contains("check server logs"), output::text);
        awaitLeftOut(verb, ENGINE_ONLY);
    }

    @Test
    void stockTablesAreCompactedInPart()
    {
        node.log().mark();
        run("compact --partition 1", MIXED).success();
        awaitLeftOut("compact of a part", MIXED);
        assertFalse(node.log().grep("Compacting .*" + MIXED + "/s").isEmpty());
    }

    @Test
    void onlySstablesAreMarkedRepaired()
    {
        node.log().mark();
        run("sstablerepairedset --really-set --is-unrepaired", MIXED).success();
        awaitLeftOut("repaired state", MIXED);
        assertRefused(run("sstablerepairedset --really-set --is-repaired", MIXED, "e"), "never marked repaired");
    }

    @ParameterizedTest
    @ValueSource(strings = { "scrub", "compact -st 1 -et 100", "compact --partition 1" })
    void namedEngineTableIsRefused(String verb)
    {
        assertRefused(run(verb, MIXED, "s", "e"), "Cassiterite tables (" + MIXED + ".e)");
    }

    private static void assertRefused(Output output, String reason)
    {
        assertNotEquals(0, output.exitCode(), output::text);
        assertTrue(output.text().contains(reason), output::text);
    }

    private void awaitLeftOut(String verb, String keyspace)
    {
        node.log().await(verb + " has left out the Cassiterite tables \\(" + keyspace + "\\.e\\)", BOUND);
    }

    private Output run(String verb, String... more)
    {
        String[] words = verb.split(" ");
        String[] command = new String[words.length + more.length];
        System.arraycopy(words, 0, command, 0, words.length);
        System.arraycopy(more, 0, command, words.length, more.length);
        return node.nodetool(command);
    }
}
