/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import com.datastax.oss.driver.api.core.CqlSession;

/** The node of an oracle. Thread-safe, but for what ends the node. */
public interface Machine
{
    /** What a session is for. Each has a connection of its own. */
    enum Use
    {
        /** All that the others are not for. */
        PLAIN,
        /** Prepared reads: a front door leaves connections alone of which it answers little. */
        PREPARED,
        /** Reads that may make the node close the connection. */
        FRAGILE
    }

    /** @return a session with the running node; another one after a restart */
    CqlSession session(Use use);

    default CqlSession session()
    {
        return session(Use.PLAIN);
    }

    /** @param tables none for the whole keyspace */
    void flush(String keyspace, String... tables);

    void compact(String keyspace, String table);

    /** Stops the node in an orderly way and starts it again. */
    void restart();

    /** Ends the node at once and starts it again. */
    void kill();

    /** Moves the node's clock forward. */
    void jump(long seconds);

    /** @return the node's clock minus this machine's */
    long clockOffsetSeconds();
}
