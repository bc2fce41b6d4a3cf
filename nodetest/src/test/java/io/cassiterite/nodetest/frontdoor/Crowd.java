/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Thousands of clients of protocol version 4 that do the same thing at once. One thread. */
final class Crowd implements AutoCloseable
{
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final int SELECT_MILLIS = 200;
    private static final int HEADER_BYTES = 9;
    private static final int MAX_ANSWER_BYTES = 512;
    /** Source addresses, so that no ports are lacking. */
    private static final int ADDRESSES = 20;
    private static final byte[] STARTUP = RawClient.startupEnvelope();

    private final InetSocketAddress node;
    private final Selector selector;
    private final List<Member> members = new ArrayList<>();
    private int errors;

    Crowd(InetSocketAddress node) throws IOException
    {
        this.node = node;
        this.selector = Selector.open();
    }

    /** Clients that got an error, or no answer at all. */
    int errors()
    {
        return errors;
    }

    /** Connects clients, all at once. @return the milliseconds until each of them was ready, in order */
    long[] connect(int count) throws IOException
    {
        long begun = System.nanoTime();
        for (int i = 0; i < count; i++)
            members.add(new Member(i));
        await(member -> member.answers > 0);
        return members.stream().mapToLong(member -> TimeUnit.NANOSECONDS.toMillis(member.answeredNanos - begun)).sorted().toArray();
    }

    /** Has some of the clients ask, each again as soon as it has its answer. @return the milliseconds that it took */
    long work(int count, int requests, byte[] envelope) throws IOException
    {
        long begun = System.nanoTime();
        List<Member> working = members.stream().filter(member -> member.channel.isOpen()).limit(count).toList();
        for (Member member : working)
            member.ask(envelope, requests);
        await(member -> member.left == 0);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    private void await(Predicate<Member> isDone) throws IOException
    {
        long end = System.nanoTime() + BOUND_NANOS;
        long missing = members.stream().filter(member -> member.channel.isOpen() && !isDone.test(member)).count();
        while (missing > 0 && System.nanoTime() < end)
        {
            selector.select(SELECT_MILLIS);
            for (SelectionKey key : selector.selectedKeys())
            {
                Member member = (Member) key.attachment();
                boolean wasDone = isDone.test(member);
                member.turn(key);
                if (!wasDone && (isDone.test(member) || !member.channel.isOpen()))
                    missing--;
            }
            selector.selectedKeys().clear();
        }
        errors += (int) missing;
    }

    /** Ends all connections, at once. */
    @Override
    public void close() throws IOException
    {
        for (Member member : members)
            member.channel.close();
        selector.close();
    }

    /** One of them. */
    private final class Member
    {
        final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocate(MAX_ANSWER_BYTES);
        private byte[] request = STARTUP;
        int left = 1;
        int answers;
        long answeredNanos;

        Member(int number) throws IOException
        {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.bind(new InetSocketAddress("127.0.1." + (1 + number % ADDRESSES), 0));
            channel.register(selector, SelectionKey.OP_CONNECT, this);
            channel.connect(node);
        }

        void ask(byte[] envelope, int times) throws IOException
        {
            request = envelope;
            left = times;
            write();
        }

        private void write() throws IOException
        {
            if (channel.write(ByteBuffer.wrap(request)) != request.length)
                throw new IOException("a request is larger than a socket's buffer");
        }

        void turn(SelectionKey key)
        {
            try
            {
                if (key.isConnectable() && channel.finishConnect())
                {
                    key.interestOps(SelectionKey.OP_READ);
                    write();
                }
                else if (key.isReadable())
                    read();
            }
            catch (IOException e)
            {
                fail();
            }
        }

        private void read() throws IOException
        {
            if (channel.read(in) < 0)
                throw new IOException("the node has closed the connection");
            while (in.position() >= HEADER_BYTES && in.position() >= HEADER_BYTES + in.getInt(5))
            {
                int bytes = HEADER_BYTES + in.getInt(5);
                if (in.get(4) == RawClient.ERROR)
                    throw new IOException("the node answers with an error");
                in.flip().position(bytes);
                in.compact();
                answers++;
                answeredNanos = System.nanoTime();
                if (--left > 0)
                    write();
            }
        }

        private void fail()
        {
            errors++;
            try
            {
                channel.close();
            }
            catch (IOException e)
            {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
