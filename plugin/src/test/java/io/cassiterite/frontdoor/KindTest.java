/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Connections of one kind, of which the test moves the time. */
class KindTest
{
    private static final long FIRST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(ReturnDelay.FIRST_SECONDS);

    private long now;
    private final Kind kind = new Kind(bound -> 0, () -> now);
    private final List<String> called = new ArrayList<>();

    private Kind.Member member(String name)
    {
        return () -> called.add(name);
    }

    private Kind.Member left(String name)
    {
        Kind.Member member = member(name);
        kind.left(member, -1);
        return member;
    }

    @Test
    void newConnectionsLeaveAtOnceOnceOneHasLeft()
    {
        assertFalse(kind.isForwarded());
        left("a");
        assertTrue(kind.isForwarded());
    }

    @Test
    void oneAtATimeIsOnTrial()
    {
        Kind.Member a = left("a");
        Kind.Member b = left("b");
        assertFalse(kind.mayTry(a), "it is too soon");
        now += FIRST_DELAY_NANOS;
        assertTrue(kind.mayTry(a));
        assertFalse(kind.mayTry(b));
        assertTrue(kind.mayTry(a), "it tries again, where it was between no two messages");
    }

    @Test
    void aTrialInVainMakesTheNextOneLaterForAll()
    {
        Kind.Member a = left("a");
        Kind.Member b = left("b");
        now += FIRST_DELAY_NANOS;
        assertTrue(kind.mayTry(a));
        assertEquals(TimeUnit.NANOSECONDS.toMillis(2 * FIRST_DELAY_NANOS), kind.left(a, TimeUnit.SECONDS.toNanos(1)));
        now += FIRST_DELAY_NANOS - 1;
        assertFalse(kind.mayTry(a) || kind.mayTry(b));
        now += 1;
        assertTrue(kind.mayTry(b));
    }

    /** Whoever leaves while the kind is known has waited for no trial. */
    @Test
    void othersThatLeaveDelayNoTrial()
    {
        Kind.Member a = left("a");
        now += FIRST_DELAY_NANOS;
        left("b");
        assertTrue(kind.mayTry(a));
    }

    @Test
    void allComeBackOnceTheDoorAnswersOne()
    {
        Kind.Member a = left("a");
        Kind.Member b = left("b");
        now += FIRST_DELAY_NANOS;
        assertTrue(kind.mayTry(a));
        kind.answered(a);
        assertTrue(kind.isForwarded(), "an answer or two prove nothing");
        now += Kind.PROVED_NANOS;
        kind.answered(b);
        assertTrue(kind.isForwarded(), "it is not on trial");
        kind.answered(a);
        assertFalse(kind.isForwarded());
        assertEquals(List.of("b"), called);
        assertTrue(kind.mayTry(b));
        kind.answered(a);
        assertEquals(List.of("b"), called);
    }

    /** Its own delay holds: where connections of a kind differ, those that write do not come and go with those that read. */
    @Test
    void whoWasOnTrialInVainIsNotCalled()
    {
        Kind.Member a = left("a");
        Kind.Member b = left("b");
        now += FIRST_DELAY_NANOS;
        assertTrue(kind.mayTry(a));
        kind.left(a, TimeUnit.SECONDS.toNanos(1));
        now += FIRST_DELAY_NANOS;
        assertTrue(kind.mayTry(b));
        now += Kind.PROVED_NANOS;
        kind.answered(b);
        assertEquals(List.of(), called);
    }

    @Test
    void whoAsksNothingOrHasGoneHoldsNobodyUp()
    {
        Kind.Member a = left("a");
        Kind.Member b = left("b");
        Kind.Member c = left("c");
        now += FIRST_DELAY_NANOS;
        assertTrue(kind.mayTry(a));
        now += Kind.TRIAL_NANOS;
        assertFalse(kind.mayTry(b));
        now += 1;
        assertTrue(kind.mayTry(b));
        assertFalse(kind.mayTry(c));
        kind.gone(b);
        assertTrue(kind.mayTry(c));
        now += Kind.PROVED_NANOS;
        kind.gone(a);
        kind.answered(c);
        assertEquals(List.of(), called, "nobody is left outside");
    }

    @Test
    void aKindIsAnAddressAndAStartup()
    {
        Kinds kinds = new Kinds();
        InetAddress here = InetAddress.getLoopbackAddress();
        Kind one = kinds.of(here, Map.of("CLIENT_ID", "1"));
        assertSame(one, kinds.of(here, Map.of("CLIENT_ID", "1")));
        assertNotSame(one, kinds.of(here, Map.of("CLIENT_ID", "2")));
    }
}
