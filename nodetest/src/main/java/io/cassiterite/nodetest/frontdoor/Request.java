/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.function.Consumer;

/** A request of a random run. One thread. */
final class Request
{
    final int opcode;
    final byte[] body;
    /** For a reader: statement, values, options. */
    final String text;
    int flags;
    /** Whether other requests under way would make its answer, or the connection's end, a matter of chance. */
    boolean alone;
    /**
     * Whether the connection is of no use afterwards. Of a message that it cannot decode in version 3 or 4, Cassandra
     * leaves the bytes where they are, and answers them again with each further read.
     */
    boolean last;
    /** Gets the answer that both sides gave. */
    Consumer<Envelope> then = answer -> {
    };

    Request(int opcode, byte[] body, String text)
    {
        this.opcode = opcode;
        this.body = body;
        this.text = text;
    }

    Request with(int flag)
    {
        flags |= flag;
        return this;
    }

    Request alone()
    {
        alone = true;
        return this;
    }

    Request last()
    {
        last = true;
        return alone();
    }

    Request then(Consumer<Envelope> consumer)
    {
        then = consumer;
        return this;
    }

    Envelope envelope(int version, int stream)
    {
        return new Envelope(version, flags, stream, opcode, body);
    }
}
