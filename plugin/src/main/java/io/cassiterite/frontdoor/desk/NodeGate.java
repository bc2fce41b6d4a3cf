/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

import org.apache.cassandra.config.CassandraRelevantProperties;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.config.GuardrailsOptions;
import org.apache.cassandra.cql3.QueryEvents;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.StorageProxy;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.schema.EngineQueryHandler;

/** Why the front door answers nothing at present, and forwards everything. Each reason can be asked for in no time. */
public enum NodeGate
{
    TRANSPORT_STOPPED("the native transport does not run, or is about to stop",
                      () -> TransportState.isStopping() || !StorageService.instance.isNativeTransportRunning()),
    SHUTTING_DOWN("the node drains or shuts down", () -> StorageService.instance.isShutdown()),
    NOT_NORMAL("the node is not in the state NORMAL", () -> !StorageService.instance.isNormal()),
    BOOTSTRAPPING("the node bootstraps", () -> !StorageProxy.isSafeToPerformRead()),
    WRITE_SURVEY("the node is in write survey mode", () -> StorageService.instance.isSurveyMode()),
    QUERY_LISTENER("the audit log, the full query log or another listener wants every query",
                   () -> QueryEvents.instance.listenerCount() > 0),
    TRACING("the trace probability is not 0", () -> StorageService.instance.getTraceProbability() != 0),
    PERMISSIONS_NOT_CACHED("permissions_validity or roles_validity is 0: each request is to be decided anew",
                           () -> requireAuthorization() &&
                                 (DatabaseDescriptor.getPermissionsValidity() <= 0 || DatabaseDescriptor.getRolesValidity() <= 0)),
    RATE_LIMIT("requests are rate limited", DatabaseDescriptor::getNativeTransportRateLimitingEnabled),
    REQUEST_BYTES("clients may have fewer bytes of requests in flight than the longest EXECUTE that is answered natively",
                  () -> Math.min(DatabaseDescriptor.getNativeTransportMaxRequestDataInFlightInBytes(),
                                 DatabaseDescriptor.getNativeTransportMaxRequestDataInFlightPerIpInBytes()) < NodeGate.EXECUTE_BYTES),
    DENYLIST("the partition denylist is on for reads",
             () -> DatabaseDescriptor.getPartitionDenylistEnabled() && DatabaseDescriptor.getDenylistReadsEnabled()),
    READ_THRESHOLDS("read_thresholds_enabled is true", DatabaseDescriptor::getReadThresholdsEnabled),
    TOMBSTONE_THRESHOLDS("a tombstone threshold is below 0, so that every read warns or fails",
                         () -> DatabaseDescriptor.getTombstoneWarnThreshold() < 0 ||
                               DatabaseDescriptor.getTombstoneFailureThreshold() < 0),
    GUARDRAIL_LEVELS("a guardrail names consistency levels of reads",
                     () -> !guardrails().getReadConsistencyLevelsWarned().isEmpty() ||
                           !guardrails().getReadConsistencyLevelsDisallowed().isEmpty()),
    GUARDRAIL_PAGE_SIZE("a guardrail limits the page size",
                        () -> guardrails().getPageSizeWarnThreshold() >= 0 || guardrails().getPageSizeFailThreshold() >= 0),
    GUARDRAILS_OF_CLIENTS("guardrails come from a class of their own, and may differ from client to client",
                          () -> CassandraRelevantProperties.CUSTOM_GUARDRAILS_CONFIG_PROVIDER_CLASS.getString() != null),
    QUERY_HANDLER("the query handler is not Cassiterite's", () -> !(ClientState.getCQLQueryHandler() instanceof EngineQueryHandler));

    /** The door passes longer ones on: MAX_EXECUTE_BYTES of native/frontdoor/src/protocol/inbound.rs. */
    private static final int EXECUTE_BYTES = 64 << 10;

    private final String reason;
    private final BooleanSupplier closed;

    NodeGate(String reason, BooleanSupplier closed)
    {
        this.reason = reason;
        this.closed = closed;
    }

    /** @return for people */
    public String reason()
    {
        return reason;
    }

    boolean isClosed()
    {
        return closed.getAsBoolean();
    }

    /** Those that are closed now. */
    static Set<NodeGate> closed()
    {
        Set<NodeGate> closed = EnumSet.noneOf(NodeGate.class);
        for (NodeGate gate : values())
            if (gate.isClosed())
                closed.add(gate);
        return Collections.unmodifiableSet(closed);
    }

    private static boolean requireAuthorization()
    {
        return DatabaseDescriptor.getAuthorizer().requireAuthorization()
               || DatabaseDescriptor.getNetworkAuthorizer().requireAuthorization()
               || DatabaseDescriptor.getCIDRAuthorizer().requireAuthorization();
    }

    private static GuardrailsOptions guardrails()
    {
        return DatabaseDescriptor.getGuardrailsConfig();
    }
}
