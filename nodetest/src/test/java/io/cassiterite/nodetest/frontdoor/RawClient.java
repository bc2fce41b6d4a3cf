/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A CQL client that writes and reads envelopes of protocol version 4 itself, from an address of its choice. */
final class RawClient implements AutoCloseable
{
    static final int READY = 2;
    static final int SUPPORTED = 6;
    static final int RESULT = 8;
    static final int EVENT = 12;

    static final int ERROR = 0;

    private static final byte VERSION = 4;
    private static final int STARTUP = 1;
    private static final int AUTHENTICATE = 3;
    private static final int OPTIONS = 5;
    private static final int QUERY = 7;
    private static final int PREPARE = 9;
    private static final int EXECUTE = 10;
    private static final int REGISTER = 11;
    private static final int AUTH_RESPONSE = 15;
    private static final int AUTH_SUCCESS = 16;
    private static final int ONE = 1;
    private static final int HEADER_BYTES = 9;
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final DataInputStream in;

    /** @param from a loopback address */
    RawClient(String from, InetSocketAddress node) throws IOException
    {
        socket = new Socket();
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(node);
        in = new DataInputStream(socket.getInputStream());
    }

    /** From 127.0.0.1, through TLS. */
    RawClient(InetSocketAddress node, SSLContext trust, TlsClient.Offer offer) throws IOException
    {
        SSLSocket secured = (SSLSocket) trust.getSocketFactory().createSocket(node.getAddress(), node.getPort());
        socket = secured;
        socket.setSoTimeout(PATIENCE_MILLIS);
        secured.setEnabledProtocols(offer.protocols);
        if (offer.suites != null)
            secured.setEnabledCipherSuites(offer.suites);
        in = new DataInputStream(socket.getInputStream());
    }

    int port()
    {
        return socket.getLocalPort();
    }

    void startup() throws IOException
    {
        write(startupEnvelope());
        expect(READY);
    }

    /** @return the bytes of the first request */
    static byte[] startupEnvelope()
    {
        return envelope(STARTUP, map(Map.of("CQL_VERSION", "3.0.0")));
    }

    /** Begins as a role. @param throwing whether overload is to be told by an error, instead of by waiting */
    void login(String role, String password, boolean throwing) throws IOException
    {
        Map<String, String> options = new LinkedHashMap<>(Map.of("CQL_VERSION", "3.0.0"));
        if (throwing)
            options.put("THROW_ON_OVERLOAD", "1");
        send(STARTUP, map(options));
        expect(AUTHENTICATE);
        byte[] token = ('\0' + role + '\0' + password).getBytes(StandardCharsets.UTF_8);
        send(AUTH_RESPONSE, ByteBuffer.allocate(Integer.BYTES + token.length).putInt(token.length).put(token).array());
        expect(AUTH_SUCCESS);
    }

    void options() throws IOException
    {
        send(OPTIONS, new byte[0]);
        expect(SUPPORTED);
    }

    void register(String event) throws IOException
    {
        ByteBuffer body = ByteBuffer.allocate(1024).putShort((short) 1);
        putString(body, event);
        send(REGISTER, written(body));
        expect(READY);
    }

    /** @return the body of the result */
    byte[] query(String cql) throws IOException
    {
        send(QUERY, queryBody(cql));
        return expect(RESULT);
    }

    /** @return the answer, an error perhaps */
    Reply request(String cql) throws IOException
    {
        send(QUERY, queryBody(cql));
        return reply();
    }

    private static byte[] queryBody(String cql)
    {
        byte[] text = cql.getBytes(StandardCharsets.UTF_8);
        return written(ByteBuffer.allocate(text.length + 16).putInt(text.length).put(text).putShort((short) ONE).put((byte) 0));
    }

    /** @return the statement's id */
    byte[] prepare(String cql) throws IOException
    {
        byte[] text = cql.getBytes(StandardCharsets.UTF_8);
        send(PREPARE, ByteBuffer.allocate(Integer.BYTES + text.length).putInt(text.length).put(text).array());
        ByteBuffer prepared = ByteBuffer.wrap(expect(RESULT));
        prepared.getInt();
        byte[] id = new byte[prepared.getShort()];
        prepared.get(id);
        return id;
    }

    /** Executes a statement without variables, or with one. @return the answer, an error perhaps */
    Reply execute(byte[] id, byte[]... value) throws IOException
    {
        write(executeEnvelope(id, value));
        return reply();
    }

    /** @return the bytes of such a request */
    static byte[] executeEnvelope(byte[] id, byte[]... value)
    {
        int bytes = value.length == 0 ? 0 : value[0].length;
        ByteBuffer body = ByteBuffer.allocate(id.length + bytes + 16).putShort((short) id.length).put(id).putShort((short) ONE)
                                    .put((byte) value.length);
        if (value.length > 0)
            body.putShort((short) 1).putInt(bytes).put(value[0]);
        return envelope(EXECUTE, written(body));
    }

    /** An answer, whatever it is. */
    record Reply(int opcode, String text)
    {
        boolean isError()
        {
            return opcode == ERROR;
        }
    }

    private Reply reply() throws IOException
    {
        byte[] header = new byte[HEADER_BYTES];
        in.readFully(header);
        ByteBuffer fields = ByteBuffer.wrap(header);
        byte[] body = new byte[fields.getInt(5)];
        in.readFully(body);
        // each byte a character
        return new Reply(fields.get(4), new String(body, StandardCharsets.ISO_8859_1));
    }

    /** Writes bytes as they are. */
    void write(byte[] bytes, int from, int count) throws IOException
    {
        socket.getOutputStream().write(bytes, from, count);
        socket.getOutputStream().flush();
    }

    /** @return the bytes of an OPTIONS request */
    static byte[] optionsEnvelope()
    {
        return envelope(OPTIONS, new byte[0]);
    }

    /** @return the body of the next envelope, which must have the opcode */
    byte[] expect(int opcode) throws IOException
    {
        Reply reply = reply();
        if (reply.opcode != opcode)
            throw new AssertionError("opcode " + reply.opcode + " instead of " + opcode + ": " + reply.text);
        return reply.text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** @return whether the node ends the connection instead of answering */
    boolean isRefused()
    {
        try
        {
            send(OPTIONS, new byte[0]);
            return in.read() < 0;
        }
        catch (IOException e)
        {
            return true;
        }
    }

    @Override
    public void close()
    {
        try
        {
            socket.close();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private void send(int opcode, byte[] body) throws IOException
    {
        write(envelope(opcode, body));
    }

    private void write(byte[] envelope) throws IOException
    {
        write(envelope, 0, envelope.length);
    }

    private static byte[] envelope(int opcode, byte[] body)
    {
        return ByteBuffer.allocate(HEADER_BYTES + body.length).put(VERSION).put((byte) 0).putShort((short) 0).put((byte) opcode)
                         .putInt(body.length).put(body).array();
    }

    private static byte[] map(Map<String, String> entries)
    {
        ByteBuffer body = ByteBuffer.allocate(1024).putShort((short) entries.size());
        entries.forEach((key, value) ->
        {
            putString(body, key);
            putString(body, value);
        });
        return written(body);
    }

    private static void putString(ByteBuffer body, String text)
    {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        body.putShort((short) bytes.length).put(bytes);
    }

    private static byte[] written(ByteBuffer body)
    {
        byte[] bytes = new byte[body.position()];
        body.flip().get(bytes);
        return bytes;
    }
}
