/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

/** Something in an sstable that the engine does not take: other sstables can move. */
final class UnmovableException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    UnmovableException(Throwable cause)
    {
        super(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }
}
