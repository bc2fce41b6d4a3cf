/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Streams of engine tables. Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link EngineStreamManager#createOutgoingStreams} is called by StreamSession.addTransferRanges under the monitor
 *     of the session. Threads: NonPeriodicTasks at the node that is asked (StreamSession.prepareAsync), or the one that
 *     builds the StreamPlan. NonPeriodicTasks is a single thread: while it exports, no other session is prepared,
 *     closed or aborted. A thrown Error would leave the peer waiting, so failures are exceptions.
 * <li>{@link OutgoingFile#write} is called by StreamingMultiplexedChannel.FileStreamTask on NettyStreaming-Outbound
 *     threads, one for each file under way, without a lock.
 * <li>{@link OutgoingFile#finish} is called by OutgoingStreamMessage.complete under the monitor of StreamTransferTask,
 *     when the peer has acknowledged the file, when its time is over, or when the session is aborted. Cassandra forgets
 *     it for a plan that never begins: {@link StreamEnd}.
 * <li>{@link EngineStreamManager#prepareIncomingStream} and then {@link IncomingFile#read} are called by
 *     IncomingStreamMessage on the Stream-Deserializer thread of the connection, without a lock. They must read all
 *     bytes of the file and not one more.
 * <li>{@link EngineStreamReceiver#received} is called by StreamReceiveTask.received on the same thread, under the
 *     monitors of the session and the task. It must not wait for the device: no message of the session is handled
 *     meanwhile.
 * <li>{@link EngineStreamReceiver#finished} and {@code cleanup} are called on StreamReceiveTask threads without a lock.
 *     When finished returns, all rows must be durable and readable: Cassandra then reports success.
 * <li>{@link EngineStreamReceiver#abort} is called by StreamReceiveTask.abort under its monitor, on NonPeriodicTasks.
 * <li>{@link RetainedFilesGossip} calls Gossiper.addLocalApplicationState, which takes the gossiper's lock and calls
 *     subscribers. Its thread must hold no monitor of this package meanwhile.
 * </ul>
 */
package io.cassiterite.stream;
