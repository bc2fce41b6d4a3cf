/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.schema.TableId;

import io.cassiterite.Await;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** F11: permissions that wait for other nodes. Time stands still unless the test moves it. */
class DecisionsTest
{
    private static final TableId ORDERS = TableId.generate();
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int ROUNDS = 30;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicLong clock = new AtomicLong(1_000_000_000_000L);
    private final Logins logins = new Logins(new FakeDoor());
    /** By role, how often Cassandra was asked. */
    private final Map<String, Integer> asked = new ConcurrentHashMap<>();
    private volatile CountDownLatch awaited = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger blocked = new AtomicInteger();
    private final Decisions decisions = new Decisions(this::allows, this::execute, clock::get, () -> {});

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    @AfterEach
    void end()
    {
        awaited.countDown();
        threads.shutdownNow();
    }

    private void execute(Runnable work)
    {
        running.incrementAndGet();
        threads.execute(() -> {
            try
            {
                work.run();
            }
            finally
            {
                running.decrementAndGet();
            }
        });
    }

    private boolean allows(ClientConnection connection, Statement statement)
    {
        CountDownLatch latch = awaited;
        asked.merge(connection.role(), 1, Integer::sum);
        if (connection.role().startsWith("slow"))
        {
            blocked.incrementAndGet();
            await(latch);
            blocked.decrementAndGet();
        }
        return !connection.role().startsWith("stranger");
    }

    private static void await(CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private Question question(String role)
    {
        Login login = logins.admit(logins.count() + 1L, new FakeConnection(role, "10.0.0.1"));
        return new Question(login, new Statement(FakeDoor.id('a'), ORDERS, "shop", null, "SELECT", new Object()));
    }

    private Set<Question> slow(int count)
    {
        Set<Question> slow = new HashSet<>();
        for (int i = 0; i < count; i++)
            slow.add(question("slow" + i));
        return slow;
    }

    private int asked(String role)
    {
        return asked.getOrDefault(role, 0);
    }

    private long askedSlow()
    {
        return asked.keySet().stream().filter(role -> role.startsWith("slow")).mapToInt(this::asked).sum();
    }

    private boolean isAllowed(Question question)
    {
        return decisions.allows(question, clock.get());
    }

    /** Moves time where all threads wait: who is in the middle of a decision, and gets no CPU, would seem slow. */
    private void later(long nanos)
    {
        Await.until(this::areAllBlocked);
        clock.addAndGet(nanos);
    }

    private boolean areAllBlocked()
    {
        return running.get() == blocked.get();
    }

    /** Rounds in each of which a question has to be decided, whatever becomes of the others. */
    private void assertDecidedInEachRound(Question quick, Set<Question> others)
    {
        Set<Question> all = new HashSet<>(others);
        all.add(quick);
        for (int round = 0; round < ROUNDS; round++)
        {
            later(ROUND_NANOS);
            int before = asked(quick.login.key.role);
            Await.until(() -> {
                decisions.decide(all);
                if (asked(quick.login.key.role) > before && isAllowed(quick))
                    return true;
                if (areAllBlocked())
                    clock.addAndGet(Decisions.SLOW_NANOS);
                return false;
            });
        }
    }

    @Test
    void whoWaitsForOtherNodesHoldsUpNobodyElse()
    {
        Question slow = question("slow");
        assertDecidedInEachRound(question("reader"), Set.of(slow));
        assertEquals(1, asked("slow"), "it is under way");
        assertFalse(isAllowed(slow));
        awaited.countDown();
        Await.until(() -> {
            decisions.decide(Set.of(slow));
            return isAllowed(slow);
        });
    }

    /** Its own rights end as if nobody had asked for them. */
    @Test
    void aDecisionThatIsAwaitedDoesNotProlongTheOneBefore()
    {
        Question slow = question("slow");
        awaited.countDown();
        decisions.want(slow);
        Await.until(() -> isAllowed(slow));
        awaited = new CountDownLatch(1);
        clock.addAndGet(Decisions.FRESH_NANOS);
        decisions.decide(Set.of(slow));
        Await.until(() -> asked("slow") == 2);
        assertTrue(isAllowed(slow));
        clock.addAndGet(1);
        assertFalse(isAllowed(slow));
    }

    @Test
    void threadsThatWaitAreLimited()
    {
        Set<Question> slow = slow(Decisions.MAX_THREADS + 8);
        for (int round = 0; round < 2 * slow.size(); round++)
        {
            clock.addAndGet(ROUND_NANOS);
            decisions.decide(slow);
            long begun = Math.min(round + 1, Decisions.MAX_THREADS);
            Await.until(() -> askedSlow() == begun);
        }
        awaited.countDown();
        Await.until(() -> {
            decisions.decide(slow);
            return slow.stream().allMatch(this::isAllowed);
        });
    }

    @Test
    void questionsThatAreKnownToBeSlowLeaveThreadsToOthers()
    {
        Set<Question> slow = slow(Decisions.MAX_THREADS);
        for (int round = 1; round <= slow.size(); round++)
        {
            clock.addAndGet(ROUND_NANOS);
            decisions.decide(slow);
            long begun = round;
            Await.until(() -> askedSlow() == begun);
        }
        clock.addAndGet(ROUND_NANOS);
        CountDownLatch first = awaited;
        awaited = new CountDownLatch(1);
        first.countDown();
        Await.until(() -> running.get() == 0);
        assertDecidedInEachRound(question("reader"), slow);
        Await.until(() -> askedSlow() == Decisions.MAX_THREADS * 3 / 2);
    }

    @Test
    void aDecisionIsAsOldAsItsBeginning()
    {
        Decisions late = new Decisions((connection, statement) -> {
            clock.addAndGet(Decisions.FRESH_NANOS + 1);
            return true;
        }, Runnable::run, clock::get, () -> {});
        Question reader = question("reader");
        late.decide(Set.of(reader));
        assertFalse(late.allows(reader, clock.get()));
    }

    @Test
    void aFailureIsANoAndTheOthersAreDecided()
    {
        Decisions failing = new Decisions((connection, statement) -> {
            if (connection.role().equals("broken"))
                throw new AssertionError("test");
            return true;
        }, Runnable::run, clock::get, () -> {});
        Question broken = question("broken");
        Question reader = question("reader");
        failing.decide(Set.of(broken, reader));
        assertFalse(failing.allows(broken, clock.get()));
        assertTrue(failing.allows(reader, clock.get()));
    }

    @Test
    void aThreadThatCannotBeHadIsTriedAgain()
    {
        List<Boolean> refused = new ArrayList<>(List.of(true, true));
        Decisions tried = new Decisions(this::allows, work -> {
            if (!refused.isEmpty() && refused.remove(0))
                throw new RejectedExecutionException("test");
            work.run();
        }, clock::get, () -> {});
        Question reader = question("reader");
        tried.decide(Set.of(reader));
        tried.tend();
        assertTrue(tried.isUnderWay());
        tried.tend();
        assertTrue(tried.allows(reader, clock.get()));
    }

    @Test
    void nothingIsKeptOfWhoIsGone()
    {
        Question reader = question("reader");
        Question stranger = question("stranger");
        decisions.decide(Set.of(reader, stranger));
        Await.until(() -> isAllowed(reader));
        decisions.decide(Set.of(stranger));
        assertFalse(isAllowed(reader));
        decisions.clear();
        assertFalse(isAllowed(stranger));
    }
}
