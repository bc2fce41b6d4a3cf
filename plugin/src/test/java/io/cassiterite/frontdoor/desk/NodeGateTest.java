/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.lang.reflect.Field;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.auth.AuthConfig;
import org.apache.cassandra.auth.CassandraAuthorizer;
import org.apache.cassandra.auth.IAuthorizer;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.config.GuardrailsOptions;
import org.apache.cassandra.cql3.QueryEvents;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestMemtable;
import io.cassiterite.schema.EngineQueryHandler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each test names what a native answer would get wrong without its gate. */
@OwnJvm
class NodeGateTest
{
    /** Of a JVM in which no node runs. */
    private Set<NodeGate> before;

    static
    {
        System.setProperty("cassandra.custom_query_handler_class", EngineQueryHandler.class.getName());
        TestMemtable.initialize();
        AuthConfig.applyAuth();
    }

    @BeforeEach
    void look()
    {
        before = NodeGate.closed();
    }

    /** The gates that have closed since the test began. */
    private Set<NodeGate> closed()
    {
        Set<NodeGate> more = new HashSet<>(NodeGate.closed());
        more.removeAll(before);
        return more;
    }

    private static void set(String field, Object value)
    {
        try
        {
            Field found = StorageService.class.getDeclaredField(field);
            found.setAccessible(true);
            found.set(StorageService.instance, value);
        }
        catch (ReflectiveOperationException e)
        {
            throw new AssertionError(e);
        }
    }

    /** Before it has joined, and from DECOMMISSION, MOVE or drain on, a node need not have the rows that it is asked for. */
    @Test
    void aNodeThatIsNotNormalAnswersNothing()
    {
        assertTrue(before.contains(NodeGate.NOT_NORMAL));
        assertTrue(before.contains(NodeGate.TRANSPORT_STOPPED));
        for (StorageService.Mode mode : StorageService.Mode.values())
        {
            set("operationMode", mode);
            assertEquals(mode != StorageService.Mode.NORMAL, NodeGate.NOT_NORMAL.isClosed(), mode.name());
        }
        set("operationMode", StorageService.Mode.STARTING);
    }

    /** disablebinary: Cassandra says that the server shuts down, and no answer must follow that. */
    @Test
    void aStoppingTransportAnswersNothing()
    {
        TransportState.setStopping(true);
        assertTrue(NodeGate.TRANSPORT_STOPPED.isClosed());
        assertTrue(TransportState.isStopping());
        TransportState.setStopping(false);
    }

    /** Drain: the hooks run first, the state DRAINING comes later. */
    @Test
    void aDrainingNodeAnswersNothing()
    {
        set("isShutdown", true);
        assertEquals(EnumSet.of(NodeGate.SHUTTING_DOWN), closed());
        set("isShutdown", false);
    }

    @Test
    void aBootstrappingNodeAnswersNothing()
    {
        set("isBootstrapMode", true);
        assertEquals(EnumSet.of(NodeGate.BOOTSTRAPPING), closed());
        set("isBootstrapMode", false);
    }

    @Test
    void aSurveyingNodeAnswersNothing()
    {
        set("isSurveyMode", !StorageService.instance.isSurveyMode());
        assertEquals(StorageService.instance.isSurveyMode(), NodeGate.WRITE_SURVEY.isClosed());
        set("isSurveyMode", !StorageService.instance.isSurveyMode());
    }

    /** F22: a native answer would be missing in the audit log. */
    @Test
    void auditedQueriesAreLeftToCassandra()
    {
        QueryEvents.Listener listener = new QueryEvents.Listener()
        {
        };
        QueryEvents.instance.registerListener(listener);
        assertEquals(EnumSet.of(NodeGate.QUERY_LISTENER), closed());
        QueryEvents.instance.unregisterListener(listener);
        assertEquals(Set.of(), closed());
    }

    /** F22 */
    @Test
    void tracedQueriesAreLeftToCassandra()
    {
        StorageService.instance.setTraceProbability(0.5);
        assertEquals(EnumSet.of(NodeGate.TRACING), closed());
        StorageService.instance.setTraceProbability(0);
    }

    /** F11: a REVOKE is to count from the next request on. */
    @Test
    void permissionsThatAreNotCachedAreLeftToCassandra()
    {
        int permissions = DatabaseDescriptor.getPermissionsValidity();
        int roles = DatabaseDescriptor.getRolesValidity();
        IAuthorizer open = DatabaseDescriptor.getAuthorizer();
        DatabaseDescriptor.setPermissionsValidity(0);
        assertEquals(Set.of(), closed());
        DatabaseDescriptor.setAuthorizer(new CassandraAuthorizer());
        assertEquals(EnumSet.of(NodeGate.PERMISSIONS_NOT_CACHED), closed());
        DatabaseDescriptor.setPermissionsValidity(permissions);
        assertEquals(Set.of(), closed());
        DatabaseDescriptor.setRolesValidity(0);
        assertEquals(EnumSet.of(NodeGate.PERMISSIONS_NOT_CACHED), closed());
        DatabaseDescriptor.setRolesValidity(roles);
        DatabaseDescriptor.setAuthorizer(open);
    }

    /** F22: a client would get more than its share. */
    @Test
    void rateLimitedRequestsAreLeftToCassandra()
    {
        DatabaseDescriptor.setNativeTransportRateLimitingEnabled(true);
        assertEquals(EnumSet.of(NodeGate.RATE_LIMIT), closed());
        DatabaseDescriptor.setNativeTransportRateLimitingEnabled(false);
    }

    /** F22: Cassandra would refuse the request for its length alone. */
    @Test
    void requestsThatMayBeLongerThanTheLimitAreLeftToCassandra()
    {
        long ofAddress = DatabaseDescriptor.getNativeTransportMaxRequestDataInFlightPerIpInBytes();
        DatabaseDescriptor.setNativeTransportMaxRequestDataInFlightPerIpInBytes((64 << 10) - 1);
        assertEquals(EnumSet.of(NodeGate.REQUEST_BYTES), closed());
        DatabaseDescriptor.setNativeTransportMaxRequestDataInFlightPerIpInBytes(ofAddress);
        long ofAll = DatabaseDescriptor.getNativeTransportMaxRequestDataInFlightInBytes();
        DatabaseDescriptor.setNativeTransportConcurrentRequestDataInFlightInBytes((64 << 10) - 1);
        assertEquals(EnumSet.of(NodeGate.REQUEST_BYTES), closed());
        DatabaseDescriptor.setNativeTransportConcurrentRequestDataInFlightInBytes(ofAll);
    }

    /** F22: a denied partition would be read. */
    @Test
    void deniedPartitionsAreLeftToCassandra()
    {
        DatabaseDescriptor.setPartitionDenylistEnabled(true);
        assertEquals(DatabaseDescriptor.getDenylistReadsEnabled(), closed().contains(NodeGate.DENYLIST));
        DatabaseDescriptor.setDenylistReadsEnabled(false);
        assertFalse(NodeGate.DENYLIST.isClosed());
        DatabaseDescriptor.setDenylistReadsEnabled(true);
        assertTrue(NodeGate.DENYLIST.isClosed());
        DatabaseDescriptor.setPartitionDenylistEnabled(false);
    }

    /** Sizes of results are Cassandra's to measure, and its warnings to word. */
    @Test
    void readsWithThresholdsAreLeftToCassandra()
    {
        DatabaseDescriptor.setReadThresholdsEnabled(true);
        assertEquals(EnumSet.of(NodeGate.READ_THRESHOLDS), closed());
        DatabaseDescriptor.setReadThresholdsEnabled(false);
    }

    /** F23 */
    @Test
    void readsThatAllWarnOfTombstonesAreLeftToCassandra()
    {
        int warning = DatabaseDescriptor.getTombstoneWarnThreshold();
        DatabaseDescriptor.setTombstoneWarnThreshold(-1);
        assertEquals(EnumSet.of(NodeGate.TOMBSTONE_THRESHOLDS), closed());
        DatabaseDescriptor.setTombstoneWarnThreshold(warning);
    }

    /** F22: a level that operators disallow would be answered. */
    @Test
    void guardedLevelsAreLeftToCassandra()
    {
        GuardrailsOptions guardrails = DatabaseDescriptor.getGuardrailsConfig();
        guardrails.setReadConsistencyLevelsDisallowed(EnumSet.of(ConsistencyLevel.ALL));
        assertEquals(EnumSet.of(NodeGate.GUARDRAIL_LEVELS), closed());
        guardrails.setReadConsistencyLevelsDisallowed(Set.of());
        guardrails.setReadConsistencyLevelsWarned(EnumSet.of(ConsistencyLevel.ONE));
        assertEquals(EnumSet.of(NodeGate.GUARDRAIL_LEVELS), closed());
        guardrails.setReadConsistencyLevelsWarned(Set.of());
    }

    /** F22 */
    @Test
    void guardedPageSizesAreLeftToCassandra()
    {
        GuardrailsOptions guardrails = DatabaseDescriptor.getGuardrailsConfig();
        guardrails.setPageSizeThreshold(100, -1);
        assertEquals(EnumSet.of(NodeGate.GUARDRAIL_PAGE_SIZE), closed());
        guardrails.setPageSizeThreshold(-1, 1_000);
        assertEquals(EnumSet.of(NodeGate.GUARDRAIL_PAGE_SIZE), closed());
        guardrails.setPageSizeThreshold(-1, -1);
    }

    /** Nobody knows what each client's guardrails say. */
    @Test
    void guardrailsOfClientsAreLeftToCassandra()
    {
        System.setProperty("cassandra.custom_guardrails_config_provider_class", "shop.Guardrails");
        assertEquals(EnumSet.of(NodeGate.GUARDRAILS_OF_CLIENTS), closed());
        System.clearProperty("cassandra.custom_guardrails_config_provider_class");
    }

    /** Another handler may refuse or change statements. */
    @Test
    void statementsOfOtherHandlersAreLeftToCassandra() throws ReflectiveOperationException
    {
        assertFalse(NodeGate.QUERY_HANDLER.isClosed());
        Field handler = org.apache.cassandra.service.ClientState.class.getDeclaredField("cqlQueryHandler");
        handler.setAccessible(true);
        assertTrue(handler.get(null) instanceof EngineQueryHandler);
    }

    @Test
    void everyGateSaysWhyItIsClosed()
    {
        for (NodeGate gate : NodeGate.values())
            assertFalse(gate.reason().isBlank());
    }
}
