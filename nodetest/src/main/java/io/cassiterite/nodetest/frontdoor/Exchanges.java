/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import io.cassiterite.nodetest.frontdoor.TwinConnection.Exchange;
import io.cassiterite.nodetest.frontdoor.TwinConnection.Side;

/** Has requests answered, by both sides and compared, or by one. One thread. */
final class Exchanges
{
    private final List<TwinConnection> twins;
    private final Random random;
    private final FrameTally tally;
    private final Comparison comparison;

    /** @param twins of which requests take any; may become more */
    Exchanges(List<TwinConnection> twins, Random random, FrameTally tally)
    {
        this.twins = twins;
        this.random = random;
        this.tally = tally;
        comparison = new Comparison(new Random(random.nextLong()), tally);
    }

    TwinConnection anyTwin()
    {
        return twins.get(random.nextInt(twins.size()));
    }

    /** Compares what requests, sent together, are answered; they must not depend on each other. */
    void compare(List<Exchange> exchanges)
    {
        String difference = comparison.difference(exchanges);
        if (difference != null)
            throw new FrameMismatch(difference + '\n' + again(exchanges));
        for (Exchange exchange : exchanges)
        {
            for (int i = 0; i < exchange.requests.size(); i++)
                if (exchange.answer(Side.STOCK, i) != null)
                    exchange.requests.get(i).then.accept(exchange.answer(Side.STOCK, i));
            if (exchange.isEnded())
                reconnect(exchange.twin());
        }
    }

    /** Compares the answers to one request, and whether the connections go on. */
    void compareAlone(TwinConnection twin, Request request)
    {
        Exchange exchange = twin.exchange(List.of(request), random);
        compare(List.of(exchange));
        Envelope answer = exchange.answer(Side.STOCK, 0);
        if (request.last)
            reconnect(twin);
        else if (!exchange.isEnded() && (answer == null || new Answer(answer).isProtocolError()))
            compare(List.of(twin.exchange(List.of(Requests.options()), random)));
    }

    /** @return the answer of one side to what only one may do */
    Envelope call(TwinConnection twin, Request request)
    {
        Side side = random.nextBoolean() ? Side.DOOR : Side.STOCK;
        try
        {
            tally.written();
            return twin.connection(side).call(request.envelope(twin.setup.version, random.nextInt(1 << 15)));
        }
        catch (IOException e)
        {
            throw new FrameMismatch(side + " gave no answer (" + e + ") to " + request.text);
        }
    }

    /**
     * Prepares a statement where that is due.
     *
     * @param refused gets it if the node refuses it
     * @return whether it can be executed
     */
    boolean isPrepared(Statement statement, TwinConnection twin, String keyspace, Consumer<Statement> refused)
    {
        int version = twin.setup.version;
        if (statement.isPrepared(version))
            return true;
        if (statement.unqualified)
            settle(statement, keyspace);
        String named = version >= 5 && (statement.unqualified || random.nextInt(10) == 0) ? keyspace : null;
        compareAlone(twin, Requests.prepare(statement, named, version).then(envelope -> {
            Answer answer = new Answer(envelope);
            if (answer.isResult(Answer.PREPARED))
                statement.prepared(answer.preparedIds());
            else
                refused.accept(statement);
        }));
        return statement.isPrepared(version);
    }

    /** Who is the first to prepare a statement without a keyspace gets a warning, which the next one does not get. */
    private void settle(Statement statement, String keyspace)
    {
        TwinConnection preparer = twins.get(twins.size() - 1);
        call(preparer, Requests.prepare(statement, keyspace, preparer.setup.version));
    }

    /** @return which requests differ again, each alone on fresh connections */
    private String again(List<Exchange> exchanges)
    {
        StringBuilder text = new StringBuilder("once more, each alone on fresh connections:\n");
        for (Exchange exchange : exchanges)
            for (Request request : exchange.requests)
            {
                reconnect(exchange.twin());
                String difference = comparison.difference(List.of(exchange.twin().exchange(List.of(request), random)));
                if (difference != null)
                    text.append(difference).append('\n');
            }
        new ArrayList<>(exchanges).forEach(exchange -> reconnect(exchange.twin()));
        return text.toString();
    }

    private void reconnect(TwinConnection twin)
    {
        try
        {
            twin.connect();
            tally.connected();
        }
        catch (IOException e)
        {
            throw new FrameMismatch("no new connection: " + e);
        }
    }
}
