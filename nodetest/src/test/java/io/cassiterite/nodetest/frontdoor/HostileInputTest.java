/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.StockTransport;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** What no driver sends meets the same answer, or the same end, through the front door as at a stock transport. */
@Tag("surface")
class HostileInputTest
{
    private static final String MODE = System.getProperty("oracle.front_door", "reads");
    private static final int MUTATIONS = 60;
    private static final int STREAM = 5;
    private static final int CLIENTS = 60;
    private static final Statement SELECT = new Statement(new Random(1)).add("SELECT v FROM hostile.t WHERE k = ").add("?");

    private static Node node;
    private static InetSocketAddress stock;
    private static InetSocketAddress door;
    private static Cql observer;
    private static NativeAnswers answers;
    private static Attacks arena;

    @BeforeAll
    static void start() throws IOException
    {
        NodeBuilder builder = FrameOracle.node("hostileinputtest", MODE);
        stock = StockTransport.on(builder);
        node = builder.start();
        StockTransport.await(node, stock);
        door = node.cqlAddress();
        arena = new Attacks(stock, door, STREAM);
        try (Cql cql = node.cql())
        {
            cql.freshKeyspace("hostile");
            cql.run("CREATE TABLE hostile.t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO hostile.t (k, v) VALUES (1, 'one')");
        }
        observer = node.cql();
        answers = new NativeAnswers(observer.session());
        try (Connection connection = new Connection(door, setup(5, Compression.NONE)))
        {
            SELECT.prepared(new Answer(connection.call(Requests.prepare(SELECT, null, 5).envelope(5, 0))).preparedIds());
        }
    }

    @AfterAll
    static void stop()
    {
        observer.close();
        node.close();
    }

    /** A connection on which the door answers, if it answers at all. */
    private static Connection served(Connection.Setup setup) throws IOException
    {
        Connection connection = new Connection(door, setup);
        if (MODE.equals("reads"))
            answers.await(() -> connection.call(select(setup.version, STREAM)));
        return connection;
    }

    private static Connection.Setup setup(int version, Compression compression)
    {
        return new Connection.Setup(version, compression, null);
    }

    private static Envelope select(int version, int stream)
    {
        Options options = new Options();
        options.values.add(new byte[]{ 0, 0, 0, 1 });
        return Requests.execute(SELECT, options, version).envelope(version, stream);
    }

    static Stream<Arguments> setups()
    {
        List<Arguments> all = new ArrayList<>();
        for (int version : new int[]{ 3, 4, 5 })
            for (Compression compression : new Compression[]{ Compression.NONE, Compression.LZ4 })
                all.add(Arguments.of(version, compression));
        return all.stream();
    }

    private static void assertSameOutcomes(Connection.Setup setup, List<byte[]> attacks) throws IOException, InterruptedException
    {
        arena.assertSame(attacks, (node, attack) -> {
            Connection connection = node == door ? served(setup) : new Connection(node, setup);
            return quiet -> HostileClient.outcome(connection, setup.version, attack, quiet);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "NONE", "LZ4" })
    void aFlippedBitInAFrameEndsTheConnection(Compression compression) throws IOException, InterruptedException
    {
        Connection.Setup setup = setup(5, compression);
        Frame.Format format = compression == Compression.NONE ? Frame.Format.PLAIN : Frame.Format.LZ4;
        byte[] frame = new Frame(true, select(5, STREAM).bytes()).bytes(format, true);
        List<byte[]> attacks = new ArrayList<>();
        for (int i = 0; i < frame.length; i++)
        {
            attacks.add(frame.clone());
            attacks.get(i)[i] ^= (byte) (1 << i % 8);
        }
        assertSameOutcomes(setup, attacks);
    }

    /** Among others one is forgiven, two in a row end the connection. */
    @Test
    void undecodableRequestsAmongOthersInAFrame() throws IOException, InterruptedException
    {
        byte[] bad = new Envelope(5, 0, 40, Envelope.EXECUTE, new byte[]{ 0, 99, 1 }).bytes();
        byte[] good = select(5, STREAM).bytes();
        List<byte[]> attacks = new ArrayList<>();
        for (int pattern = 0; pattern < 32; pattern++)
        {
            byte[] payload = new byte[0];
            for (int i = 0; i < 5; i++)
                payload = joined(payload, (pattern >> i & 1) == 0 ? good : bad);
            attacks.add(new Frame(true, payload).bytes(Frame.Format.PLAIN, false));
        }
        assertSameOutcomes(setup(5, Compression.NONE), attacks);
    }

    @ParameterizedTest
    @MethodSource("setups")
    void requestsCutAtEveryByte(int version, Compression compression) throws IOException
    {
        List<Envelope> requests = List.of(select(version, 1), Requests.options().envelope(version, 2), select(version, 3));
        Connection.Setup setup = setup(version, compression);
        try (Connection connection = served(setup); Connection whole = new Connection(stock, setup))
        {
            byte[] bytes = whole.framed(requests, new Random(3));
            whole.write(bytes);
            Map<Integer, byte[]> expected = answers(whole, requests.size());
            for (int cut = 1; cut < bytes.length; cut++)
            {
                connection.write(Arrays.copyOf(bytes, cut));
                Pause.millis(1);
                connection.write(Arrays.copyOfRange(bytes, cut, bytes.length));
                assertSameAnswers(expected, answers(connection, requests.size()), setup + ", cut at " + cut);
            }
            for (byte b : bytes)
                connection.write(new byte[]{ b });
            assertSameAnswers(expected, answers(connection, requests.size()), setup + ", byte by byte");
        }
    }

    private static Map<Integer, byte[]> answers(Connection connection, int count) throws IOException
    {
        Map<Integer, byte[]> answers = new java.util.TreeMap<>();
        for (int i = 0; i < count; i++)
        {
            Envelope answer = connection.read();
            answers.put(answer.stream, Answer.comparable(answer));
        }
        return answers;
    }

    private static void assertSameAnswers(Map<Integer, byte[]> expected, Map<Integer, byte[]> answers, String what)
    {
        assertEquals(expected.keySet(), answers.keySet(), what);
        expected.forEach((stream, bytes) -> assertArrayEquals(bytes, answers.get(stream), what));
    }

    /** Each with changes of a few bytes; in version 5 the frame is right, and what it has is not. */
    @ParameterizedTest
    @ValueSource(ints = { 3, 4, 5 })
    void requestsWithChangedBytes(int version) throws IOException, InterruptedException
    {
        Random random = new Random(version);
        byte[][] valid = { select(version, STREAM).bytes(), Requests.prepare(SELECT, null, version).envelope(version, STREAM).bytes(),
                           Requests.query("SELECT v FROM hostile.t", version).envelope(version, STREAM).bytes(),
                           Requests.options().envelope(version, STREAM).bytes() };
        List<byte[]> attacks = new ArrayList<>();
        for (int i = 0; i < MUTATIONS; i++)
        {
            byte[] changed = changed(valid[i % valid.length], random);
            attacks.add(version < 5 ? changed : new Frame(true, changed).bytes(Frame.Format.PLAIN, false));
        }
        assertSameOutcomes(setup(version, Compression.NONE), attacks);
    }

    /** The length stays as it is: a longer one makes Cassandra wait, which says little and takes long. */
    private static byte[] changed(byte[] bytes, Random random)
    {
        byte[] changed = bytes.clone();
        for (int i = 1 + random.nextInt(3); i > 0; i--)
        {
            int at = random.nextInt(changed.length);
            if (at < 5 || at > 8)
                changed[at] = (byte) (random.nextBoolean() ? random.nextInt() : changed[at] ^ 1 << random.nextInt(8));
        }
        return changed;
    }

    @ParameterizedTest
    @ValueSource(ints = { 3, 4, 5 })
    void randomBytesAfterStartup(int version) throws IOException, InterruptedException
    {
        Random random = new Random(version);
        List<byte[]> attacks = new ArrayList<>();
        for (int i = 0; i < MUTATIONS; i++)
        {
            byte[] bytes = new byte[9 + random.nextInt(60)];
            random.nextBytes(bytes);
            // In versions 3 and 4 an announced length beyond all limits makes Cassandra discard for ever.
            if (version < 5)
                System.arraycopy(new byte[]{ 0, 0, 0, (byte) (bytes.length - 9) }, 0, bytes, 5, 4);
            attacks.add(bytes);
        }
        assertSameOutcomes(setup(version, Compression.NONE), attacks);
    }

    /** F12 among them: an EXECUTE before STARTUP. */
    @Test
    void theFirstBytesOfAConnection() throws IOException, InterruptedException
    {
        arena.assertSame(beginnings(), (node, attack) -> quiet -> HostileClient.rawOutcome(node, attack, quiet));
    }

    private static List<byte[]> beginnings()
    {
        byte[] startup = new Body().strings(Map.of("CQL_VERSION", "3.0.0")).bytes();
        List<Envelope> all = new ArrayList<>();
        for (int version : new int[]{ 0, 1, 2, 6, 7, 0x42, 0x7f, 0x84, 0x85 })
            all.add(new Envelope(version, 0, 1, Envelope.STARTUP, startup));
        for (int opcode = 0; opcode < 20; opcode++)
            all.add(new Envelope(4, 0, 1, opcode, opcode == Envelope.STARTUP ? startup : new byte[0]));
        for (int version : new int[]{ 3, 4, 5, 6 })
        {
            all.add(select(version, 1));
            for (byte[] body : List.of(new byte[2], new byte[0], Arrays.copyOf(startup, 9), joined(startup, startup)))
                all.add(new Envelope(version, 0, 1, Envelope.STARTUP, body));
            for (String compression : List.of("lz5", "snappy", "LZ4", ""))
                all.add(new Envelope(version, 0, 1, Envelope.STARTUP,
                                     new Body().strings(Map.of("CQL_VERSION", "3.0.0", "COMPRESSION", compression)).bytes()));
            for (int flags : new int[]{ 1, 2, 4, 8, 0x10, 0xff })
                all.add(new Envelope(version, flags, 1, Envelope.STARTUP, startup));
        }
        List<byte[]> attacks = new ArrayList<>(all.stream().map(Envelope::bytes).toList());
        Random random = new Random(9);
        for (int i = 0; i < MUTATIONS; i++)
        {
            byte[] bytes = new byte[1 + random.nextInt(30)];
            random.nextBytes(bytes);
            attacks.add(bytes);
        }
        return attacks;
    }

    @ParameterizedTest
    @MethodSource("setups")
    void clientsThatEndAmidARequestLeaveNothingBehind(int version, Compression compression) throws IOException
    {
        long before = openConnections();
        List<Connection> halfOpen = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++)
        {
            Connection connection = new Connection(door, setup(version, compression));
            byte[] bytes = connection.framed(List.of(select(version, 1), select(version, 2)), new Random(i));
            connection.write(Arrays.copyOf(bytes, 1 + i % (bytes.length - 1)));
            halfOpen.add(connection);
        }
        try (Connection other = new Connection(door, setup(version, compression)))
        {
            assertEquals(Envelope.RESULT, other.call(select(version, 1)).opcode);
        }
        for (int i = 0; i < CLIENTS; i++)
            if (i % 3 == 0)
                halfOpen.get(i).reset();
            else if (i % 3 == 1)
                halfOpen.get(i).close();
            else
                assertEndsAfterItsClient(halfOpen.get(i));
        awaitOpenConnections(before);
    }

    /** A client that has ended its requests reads to the end of the connection, which comes without another byte of its own. */
    private static void assertEndsAfterItsClient(Connection connection) throws IOException
    {
        connection.endRequests();
        try
        {
            while (true)
                connection.read();
        }
        catch (java.net.SocketTimeoutException e)
        {
            throw new AssertionError("the connection stays open", e);
        }
        catch (IOException e)
        {
            connection.close();
        }
    }

    @Test
    void clientsThatSayNothingLeaveNothingBehind() throws IOException
    {
        long before = openConnections();
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++)
        {
            Socket socket = new Socket();
            socket.connect(door);
            silent.add(socket);
        }
        for (Socket socket : silent)
            socket.close();
        awaitOpenConnections(before);
    }

    private static void awaitOpenConnections(long expected)
    {
        awaitTrue(expected + " connections are open", () -> openConnections() <= expected);
    }

    private static long openConnections()
    {
        return answers.count("connections_open");
    }

    private static byte[] joined(byte[] first, byte[] second)
    {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
