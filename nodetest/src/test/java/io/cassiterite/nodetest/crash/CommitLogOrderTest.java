/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * D9: a row of the engine survives a crash only together with the records of Cassandra that precede it. Under
 * {@code periodic}, a killed process loses the end of the commit log: since its last marker, or, where markers stay in memory,
 * since its last sync.
 */
class CommitLogOrderTest
{
    private static final Logger logger = LoggerFactory.getLogger(CommitLogOrderTest.class);
    private static final long WRITE_MILLIS = 1500;
    private static final Duration REPLAY_OF_THE_BATCH_LOG = Duration.ofSeconds(180);
    /** Long, so that the kill is well after a sync. */
    private static final String SYNC_PERIOD = "700ms";

    @Test
    void anOlderTransactionIsNotRepeatedOverANewerOne() throws InterruptedException
    {
        crash(node("steps"), new LoggedWrites.Steps());
    }

    @Test
    void noBatchIsLeftInPieces() throws InterruptedException
    {
        crash(node("batches"), new LoggedWrites.Batches(), new LoggedWrites.Pairs());
    }

    @Test
    void norUnderDirectIo() throws InterruptedException
    {
        crash(node("direct").yaml("commitlog_disk_access_mode", "direct").yaml("commitlog_sync_period", SYNC_PERIOD),
              new LoggedWrites.Steps(), new LoggedWrites.Pairs());
    }

    @Test
    void norWithCompression() throws InterruptedException
    {
        crash(node("compressed").yaml("commitlog_compression", "[{class_name: LZ4Compressor}]").yaml("commitlog_sync_period", SYNC_PERIOD),
              new LoggedWrites.Steps(), new LoggedWrites.Pairs());
    }

    private static NodeBuilder node(String name)
    {
        return Node.named("commitlogordertest-" + name).yaml("commitlog_sync", "periodic");
    }

    private static void crash(NodeBuilder builder, LoggedWrites... kinds) throws InterruptedException
    {
        try (Node node = builder.start())
        {
            writeAndKill(node, kinds);
            node.start();
            try (Cql cql = node.cql("ordered"))
            {
                Await.untilAsserted(REPLAY_OF_THE_BATCH_LOG, () -> assertEquals(List.of(), wrong(cql, kinds)));
            }
        }
    }

    private static List<String> wrong(Cql cql, LoggedWrites... kinds)
    {
        List<String> wrong = new ArrayList<>();
        for (LoggedWrites kind : kinds)
            for (int writer = 0; writer < LoggedWrites.WRITERS; writer++)
                wrong.addAll(kind.wrong(cql, writer));
        return wrong;
    }

    private static void writeAndKill(Node node, LoggedWrites... kinds) throws InterruptedException
    {
        try (Cql cql = node.cql())
        {
            cql.freshKeyspace("ordered");
        }
        try (Cql cql = node.cql("ordered"))
        {
            List<Thread> threads = new ArrayList<>();
            for (LoggedWrites kind : kinds)
                kind.create(cql);
            for (int i = 0; i < LoggedWrites.WRITERS; i++)
                for (LoggedWrites kind : kinds)
                    threads.add(writer(cql, kind, i));
            threads.forEach(Thread::start);
            Thread.sleep(WRITE_MILLIS);
            node.killNine();
            for (Thread thread : threads)
                thread.join();
        }
    }

    private static Thread writer(Cql cql, LoggedWrites kind, int writer)
    {
        return new Thread(() -> {
            try
            {
                while (true)
                    kind.write(cql, writer);
            }
            catch (DriverException e)
            {
                logger.info("writer {} stops: {}", writer, e.getClass().getSimpleName());
            }
        });
    }
}
