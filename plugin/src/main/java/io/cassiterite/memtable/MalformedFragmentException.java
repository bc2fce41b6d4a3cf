/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

/** Bytes from the engine that are no fragment: a defect or a corrupt file. They must never be skipped. */
final class MalformedFragmentException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    MalformedFragmentException(String message)
    {
        super("malformed fragment: " + message);
    }

    /** @param cause thrown while a row or deletion was made of the bytes; Cassandra asserts much of what it is given */
    MalformedFragmentException(Throwable cause)
    {
        super("malformed fragment: " + cause, cause);
    }
}
