/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.cassiterite.engine.Door.Client;
import io.cassiterite.engine.Door.CopiesEnded;
import io.cassiterite.engine.Door.Forwarded;
import io.cassiterite.engine.Door.Missed;
import io.cassiterite.engine.Door.Notice;
import io.cassiterite.engine.Door.Secured;
import io.cassiterite.engine.Door.Wanted;
import io.cassiterite.engine.Door.WantedTable;

/** Notices of a door, as docs/internals/boundary.md describes their bytes. */
final class DoorNotices
{
    private static final byte DIRECT = 1;
    private static final byte WANTED = 2;
    private static final byte FORWARDED = 3;
    private static final byte WANTED_TABLE = 4;
    private static final byte SECURED = 5;
    private static final byte MISSED = 6;
    private static final byte COPIES_ENDED = 7;
    /** Of a statement, and of a table. */
    private static final int ID_BYTES = 16;

    private DoorNotices()
    {
    }

    static List<Notice> read(ByteBuffer bytes)
    {
        List<Notice> notices = new ArrayList<>();
        while (bytes.hasRemaining())
        {
            byte kind = bytes.get();
            long connection = bytes.getLong();
            notices.add(notice(kind, connection, bytes));
        }
        return notices;
    }

    private static Notice notice(byte kind, long connection, ByteBuffer bytes)
    {
        switch (kind)
        {
            case WANTED:
                return new Wanted(connection, id(bytes));
            case FORWARDED:
                return new Forwarded(connection);
            case WANTED_TABLE:
                return new WantedTable(connection, id(bytes), bytes.get() != 0);
            case MISSED:
                return missed(connection, bytes);
            case COPIES_ENDED:
                return new CopiesEnded(connection);
            default:
                return client(kind, connection, bytes);
        }
    }

    private static Missed missed(long connection, ByteBuffer bytes)
    {
        byte[] table = id(bytes);
        int version = bytes.get();
        long beganMillis = bytes.getLong();
        List<UUID> hosts = new ArrayList<>();
        for (int left = bytes.get() & 0xff; left > 0; left--)
            hosts.add(new UUID(bytes.getLong(), bytes.getLong()));
        byte[] body = new byte[bytes.getInt()];
        bytes.get(body);
        return new Missed(connection, table, version, beganMillis, hosts, body);
    }

    private static byte[] id(ByteBuffer bytes)
    {
        byte[] id = new byte[ID_BYTES];
        bytes.get(id);
        return id;
    }

    private static Client client(byte kind, long connection, ByteBuffer bytes)
    {
        long listener = bytes.getLong();
        int descriptor = bytes.getInt();
        InetSocketAddress remote = address(bytes);
        InetSocketAddress local = address(bytes);
        Secured secured = kind == SECURED ? new Secured(text(bytes), text(bytes)) : null;
        return new Client(connection, listener, descriptor, kind == DIRECT, secured, remote, local);
    }

    private static String text(ByteBuffer bytes)
    {
        byte[] text = new byte[bytes.get()];
        bytes.get(text);
        return new String(text, StandardCharsets.US_ASCII);
    }

    private static InetSocketAddress address(ByteBuffer bytes)
    {
        int port = bytes.getShort() & 0xffff;
        byte[] address = new byte[bytes.get()];
        bytes.get(address);
        try
        {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        }
        catch (UnknownHostException e)
        {
            throw new IllegalStateException("an address of " + address.length + " bytes", e);
        }
    }
}
