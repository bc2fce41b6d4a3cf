/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.cassiterite.frontdoor.SocketMoves.Progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An event loop of which the test moves the time. */
class SocketMovesTest
{
    private static final int HERD = 1_000;
    private static final long MOVE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private long now;
    /** What the loop is to call next, and when. */
    private Runnable scheduled;
    private long scheduledNanos;
    private final List<String> moved = new ArrayList<>();
    private final SocketMoves moves = new SocketMoves(this::schedule, () -> now);

    private void schedule(Runnable step, long delayNanos)
    {
        assertEquals(null, scheduled, "one at a time");
        scheduled = step;
        scheduledNanos = now + delayNanos;
    }

    /** Lets the time come. @return false if nothing is to be called */
    private boolean tick()
    {
        if (scheduled == null)
            return false;
        Runnable step = scheduled;
        scheduled = null;
        now = scheduledNanos;
        step.run();
        return true;
    }

    private SocketMoves.Move move(String name, long nanos, Progress progress)
    {
        return () -> {
            now += nanos;
            moved.add(name);
            return progress;
        };
    }

    @Test
    void whoComesAloneMovesAtOnce()
    {
        moves.add(move("a", MOVE_NANOS, Progress.DONE));
        assertEquals(List.of("a"), moved);
    }

    /** The other channels of the loop must not wait for all of them. */
    @Test
    void ofAHerdOneMovesInATickAndTheLoopServesOthersMeanwhile()
    {
        IntStream.range(0, HERD).forEach(i -> moves.add(move(Integer.toString(i), MOVE_NANOS, Progress.DONE)));
        int before = moved.size();
        assertEquals(1, before);
        while (tick())
        {
            assertTrue(moved.size() <= before + 1);
            before = moved.size();
        }
        assertEquals(IntStream.range(0, HERD).mapToObj(Integer::toString).collect(Collectors.toList()), moved);
        assertEquals(HERD * MOVE_NANOS * SocketMoves.PARTS, now);
    }

    @Test
    void aMoveThatTookLongIsFollowedByALongPause()
    {
        long slow = TimeUnit.MILLISECONDS.toNanos(1);
        moves.add(move("slow", slow, Progress.DONE));
        moves.add(move("next", 1, Progress.DONE));
        tick();
        assertEquals(List.of("slow", "next"), moved);
        assertEquals(slow * SocketMoves.PARTS + 1, now);
    }

    @Test
    void quickMovesArePausedBetweenToo()
    {
        moves.add(move("a", 0, Progress.DONE));
        moves.add(move("b", 0, Progress.DONE));
        tick();
        assertEquals(SocketMoves.LEAST_PAUSE_NANOS, now);
    }

    /** Its client waits between two tries. */
    @Test
    void whoHasBegunGoesOnBeforeTheOthers()
    {
        List<Progress> tries = new ArrayList<>(List.of(Progress.AGAIN, Progress.AGAIN, Progress.DONE));
        moves.add(() -> {
            now += MOVE_NANOS;
            moved.add("first");
            return tries.remove(0);
        });
        moves.add(move("second", 0, Progress.DONE));
        tick();
        tick();
        assertEquals(List.of("first", "first", "first"), moved);
        assertEquals(2 * SocketMoves.RETRY_NANOS + 3 * MOVE_NANOS, now);
        tick();
        assertEquals(2 * SocketMoves.RETRY_NANOS + 3 * MOVE_NANOS * SocketMoves.PARTS, now, "all tries were the move");
        assertEquals("second", moved.get(3));
    }

    @Test
    void channelsThatHaveClosedHoldNobodyUp()
    {
        moves.add(move("a", 0, Progress.DONE));
        moves.add(move("closed", 0, Progress.NOTHING));
        moves.add(move("closed", 0, Progress.NOTHING));
        moves.add(move("b", 0, Progress.DONE));
        tick();
        assertEquals(List.of("a", "closed", "closed", "b"), moved);
    }

    @Test
    void aLoopThatHasEndedKeepsNobody()
    {
        List<String> left = new ArrayList<>();
        SocketMoves ended = new SocketMoves((step, delay) -> {
            throw new RejectedExecutionException("test");
        }, () -> now);
        ended.add(() -> {
            left.add("a");
            return Progress.AGAIN;
        });
        assertEquals(List.of("a"), left);
    }
}
