/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The front door: native threads accept CQL clients, and Cassandra's own transport serves them over pairs of sockets.
 *
 * <ul>
 * <li>{@code CassandraDaemon.startNativeTransport} calls {@code DoorTransportService.start} on the thread that starts the
 * node, or on that of {@code nodetool enablebinary}, under {@code StorageService}'s monitor.
 * <li>{@code Server.start} calls {@code DoorPipelineConfigurator.initializeChannel} under the server's monitor. It takes
 * the lock in {@code FrontDoor.handover}; nothing that holds that lock may take a server's monitor.
 * <li>Netty calls {@code DoorServerChannel} and {@code DoorChannel} on an event loop of the native transport. They must not
 * wait for anything there: {@code Server.close} waits for them. Only {@code SocketHandover} waits, for a
 * millisecond at most, and {@code SocketMoves} leaves the loop nineteen parts of its time meanwhile.
 * <li>The thread {@code cassiterite-door-clients} waits in native code for clients, where no safepoint waits for it.
 * </ul>
 */
package io.cassiterite.frontdoor;
