/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Locale;

/**
 * Which way the rows of an engine table move between the sstables beside the engine and the engine. The engine takes all
 * writes, and both are read, whatever it is.
 */
public enum Direction
{
    /** Sstables beside the engine are to move into it. */
    IN,
    /** Nothing moves. A table that had sstables when it was first opened in the engine begins with this. */
    HOLD,
    /** The next drain or stop of the node moves all rows to sstables: the table leaves the engine. */
    OUT;

    /** As it is stored and shown. */
    public String text()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is no direction of this {@link #text} */
    public static Direction of(String text)
    {
        for (Direction direction : values())
            if (direction.text().equals(text))
                return direction;
        throw new IllegalArgumentException("there is no direction '" + text + '\'');
    }
}
