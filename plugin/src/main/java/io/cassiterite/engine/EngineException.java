/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/**
 * A failure of the engine. The message names what failed and what to do; after a panic it ends with the native trace.
 */
public final class EngineException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** What went wrong, for callers that act on it. */
    public enum Kind
    {
        /** The store, table or cursor has been closed. */
        CLOSED,
        /** A bad request, option or handle; nothing was changed. */
        INVALID,
        /** The device or file system failed. */
        IO,
        /** No space is left where the engine writes. */
        NO_SPACE,
        /** Stored bytes are not what was written. */
        CORRUPTION,
        /** Other work uses what the call needs; a later call may succeed. */
        BUSY,
        /** A defect in the engine: an invariant does not hold. A panic poisons its table, which then fails until restart. */
        INTERNAL
    }

    private final Kind kind;

    public EngineException(Kind kind, String message)
    {
        super(message);
        this.kind = kind;
    }

    public EngineException(Kind kind, String message, Throwable cause)
    {
        super(message, cause);
        this.kind = kind;
    }

    /** Called by the native library, which has the kinds by name. */
    EngineException(String kind, String message)
    {
        this(kindOf(kind), message);
    }

    public Kind kind()
    {
        return kind;
    }

    private static Kind kindOf(String name)
    {
        for (Kind kind : Kind.values())
        {
            if (kind.name().equals(name))
                return kind;
        }
        return Kind.INTERNAL;
    }
}
