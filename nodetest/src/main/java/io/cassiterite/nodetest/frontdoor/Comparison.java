/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.cassiterite.nodetest.frontdoor.TwinConnection.Exchange;
import io.cassiterite.nodetest.frontdoor.TwinConnection.Side;

/**
 * Sends the same requests through both sides, one side after the other with nothing between, and compares the answers byte
 * by byte after decompression. What is not compared, because Cassandra leaves it open:
 * <ul>
 * <li>The id that the server gives a trace.</li>
 * <li>The order of warnings: the partitions of an IN are read side by side, and each may warn.</li>
 * <li>How envelopes are spread over frames, and in which order requests that were sent together are answered.</li>
 * <li>A difference goes unreported if it is gone when the same requests are sent again, and if the clock's second
 *     changed meanwhile (rows expire) or a side was overloaded or timed out.</li>
 * </ul>
 */
final class Comparison
{
    private static final int ATTEMPTS = 5;
    private static final long MILLIS_OF_SECOND = 1_000;

    private final Random random;
    private final FrameTally tally;

    /** @param random of its own, because how often it is drawn from depends on time */
    Comparison(Random random, FrameTally tally)
    {
        this.random = random;
        this.tally = tally;
    }

    /** @return what differs, for a reader; null if nothing does */
    String difference(List<Exchange> exchanges)
    {
        String difference = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++)
        {
            long second = second();
            run(exchanges);
            difference = compare(exchanges);
            if (difference == null)
            {
                exchanges.forEach(this::count);
                return null;
            }
            boolean mayPass = second != second() || isTransient(exchanges);
            if (!mayPass || exchanges.stream().anyMatch(Exchange::isEnded))
                return difference;
            tally.repeated();
        }
        return difference;
    }

    private static long second()
    {
        return System.currentTimeMillis() / MILLIS_OF_SECOND;
    }

    private void run(List<Exchange> exchanges)
    {
        boolean doorFirst = random.nextBoolean();
        for (Side side : doorFirst ? List.of(Side.DOOR, Side.STOCK) : List.of(Side.STOCK, Side.DOOR))
        {
            exchanges.forEach(exchange -> exchange.send(side, random));
            exchanges.forEach(exchange -> exchange.receive(side));
        }
    }

    private static String compare(List<Exchange> exchanges)
    {
        for (Exchange exchange : exchanges)
            if (exchange.isLate())
                return unanswered(exchange);
        for (Exchange exchange : exchanges)
        {
            for (int i = 0; i < exchange.requests.size(); i++)
                if (!isEqual(exchange.answer(Side.DOOR, i), exchange.answer(Side.STOCK, i)))
                    return describe(exchange, i);
            if (!ends(exchange, Side.DOOR).equals(ends(exchange, Side.STOCK)))
                return unanswered(exchange);
        }
        return null;
    }

    private static boolean isEqual(Envelope door, Envelope stock)
    {
        if (door == null || stock == null)
            return door == stock;
        return Arrays.equals(Answer.comparable(door), Answer.comparable(stock));
    }

    /** @return how a connection ended, and what came unasked */
    private static String ends(Exchange exchange, Side side)
    {
        StringBuilder text = new StringBuilder(String.valueOf(exchange.end(side)));
        exchange.strays(side).forEach(stray -> text.append("\n    unasked: ").append(Text.of(stray)));
        return text.toString();
    }

    /** Requests that neither side answers are reported, too: nothing is compared then, and much time is lost. */
    private static String unanswered(Exchange exchange)
    {
        StringBuilder text = new StringBuilder(exchange.twin().setup + "\n  door: " + ends(exchange, Side.DOOR) + "\n  stock: "
                                               + ends(exchange, Side.STOCK));
        for (int i = 0; i < exchange.requests.size(); i++)
            for (Side side : Side.values())
                if (exchange.answer(side, i) == null)
                    text.append("\n  not answered by ").append(side).append(": ").append(exchange.requests.get(i).text);
        return text.toString();
    }

    private static String describe(Exchange exchange, int request)
    {
        return exchange.twin().setup + ", request " + (request + 1) + " of " + exchange.requests.size() + ": "
               + exchange.requests.get(request).text + "\n  request: "
               + Text.hex(exchange.requests.get(request).envelope(exchange.twin().setup.version, 0).bytes()) + "\n  door:  "
               + Text.of(exchange.answer(Side.DOOR, request)) + "\n  stock: " + Text.of(exchange.answer(Side.STOCK, request))
               + "\n  connections: door " + exchange.end(Side.DOOR) + ", stock " + exchange.end(Side.STOCK);
    }

    private static boolean isTransient(List<Exchange> exchanges)
    {
        for (Exchange exchange : exchanges)
            for (int i = 0; i < exchange.requests.size(); i++)
                for (Side side : Side.values())
                    if (exchange.answer(side, i) != null && new Answer(exchange.answer(side, i)).isTransient())
                        return true;
        return false;
    }

    private void count(Exchange exchange)
    {
        for (int i = 0; i < exchange.requests.size(); i++)
        {
            Envelope answer = exchange.answer(Side.STOCK, i);
            tally.compared(exchange.twin().setup.version, answer == null ? "no answer" : new Answer(answer).kind());
        }
    }
}
