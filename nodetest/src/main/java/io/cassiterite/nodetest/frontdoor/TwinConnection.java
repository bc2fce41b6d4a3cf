/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Two connections set up alike: one through the front door, one to the stock transport of the same node. One thread. */
final class TwinConnection implements AutoCloseable
{
    /** Through which of the two. */
    enum Side
    {
        DOOR, STOCK
    }

    /** Changes answers of the door, to test the oracle. */
    interface Fault
    {
        Fault NONE = answer -> answer;

        Envelope spoil(Envelope answer);
    }

    /** How a connection ended on which an answer is still missing. */
    private static final String LATE = "no answer in time";

    private final Map<Side, InetSocketAddress> addresses;
    private final Fault fault;
    final Connection.Setup setup;
    private final Map<Side, Connection> connections = new HashMap<>();

    TwinConnection(Map<Side, InetSocketAddress> addresses, Connection.Setup setup, Fault fault) throws IOException
    {
        this.fault = fault;
        this.addresses = addresses;
        this.setup = setup;
        connect();
    }

    /** Opens both connections anew. */
    void connect() throws IOException
    {
        close();
        for (Side side : Side.values())
            connections.put(side, new Connection(addresses.get(side), setup));
    }

    /** Requests and their stream ids, with what each side answered. */
    final class Exchange
    {
        final List<Request> requests;
        private final List<Integer> streams;
        private final Map<Side, Map<Integer, Envelope>> answers = new HashMap<>();
        /** Answers on streams on which nothing was asked. */
        private final Map<Side, List<Envelope>> strays = new HashMap<>();
        /** What ended a side's connection before all was answered. */
        private final Map<Side, String> ends = new HashMap<>();

        Exchange(List<Request> requests, Random random)
        {
            this.requests = requests;
            streams = new ArrayList<>(requests.size());
            int stream = random.nextInt(1 << 15);
            for (int i = 0; i < requests.size(); i++)
            {
                streams.add(stream);
                stream = (stream + 1 + random.nextInt(50)) % (1 << 15);
            }
        }

        TwinConnection twin()
        {
            return TwinConnection.this;
        }

        void send(Side side, Random random)
        {
            List<Envelope> envelopes = new ArrayList<>(requests.size());
            for (int i = 0; i < requests.size(); i++)
                envelopes.add(requests.get(i).envelope(setup.version, streams.get(i)));
            answers.put(side, new HashMap<>());
            strays.put(side, new ArrayList<>());
            ends.remove(side);
            try
            {
                connections.get(side).send(envelopes, random, requests.stream().noneMatch(request -> request.last));
            }
            catch (IOException e)
            {
                // Reading tells how it ended; part of the answers may have come.
            }
        }

        void receive(Side side)
        {
            Map<Integer, Envelope> received = answers.get(side);
            try
            {
                while (received.size() + strays.get(side).size() < requests.size())
                {
                    Envelope read = connections.get(side).read();
                    Envelope answer = side == Side.DOOR ? fault.spoil(read) : read;
                    if (!streams.contains(answer.stream) || received.putIfAbsent(answer.stream, answer) != null)
                        strays.get(side).add(answer);
                }
            }
            catch (SocketTimeoutException e)
            {
                ends.put(side, LATE);
            }
            catch (IOException e)
            {
                ends.put(side, "closed");
            }
        }

        Envelope answer(Side side, int request)
        {
            return answers.get(side).get(streams.get(request));
        }

        /** @return whether a side has not answered in time */
        boolean isLate()
        {
            return ends.containsValue(LATE);
        }

        boolean isEnded()
        {
            return !ends.isEmpty();
        }

        List<Envelope> strays(Side side)
        {
            return strays.get(side);
        }

        /** @return how the connection ended; null while it is open */
        String end(Side side)
        {
            return ends.get(side);
        }
    }

    Exchange exchange(List<Request> requests, Random random)
    {
        return new Exchange(requests, random);
    }

    Connection connection(Side side)
    {
        return connections.get(side);
    }

    @Override
    public void close() throws IOException
    {
        for (Connection connection : connections.values())
            connection.close();
        connections.clear();
    }
}
