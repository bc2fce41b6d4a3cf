/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;

/** Where doors of other nodes connect to a {@link Door}. Immutable. */
public final class PeerPort
{
    /** For {@link Door#stopListening}. */
    public final long listener;
    /** SHA-256 of the key by which other doors know this one; made when it opened. */
    public final byte[] fingerprint;

    PeerPort(ByteBuffer bytes)
    {
        listener = bytes.getLong();
        fingerprint = new byte[bytes.remaining()];
        bytes.get(fingerprint);
    }
}
