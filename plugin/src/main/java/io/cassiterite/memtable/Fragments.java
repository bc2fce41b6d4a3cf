/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

/** The constants of docs/internals/formats.md. */
final class Fragments
{
    static final int VERSION = 1;

    static final int KIND_HEADER = 0x10;
    static final int KIND_STATIC = 0x20;
    static final int KIND_ROW = 0x30;

    static final int CLUSTERING = 0x01;
    static final int LIVENESS = 0x02;
    static final int EXPIRING = 0x04;
    static final int DELETION = 0x08;
    static final int SHADOWABLE = 0x10;
    static final int BASE = 0x20;

    static final int CELL_TOMBSTONE = 0x01;
    static final int CELL_EXPIRING = 0x02;
    static final int CELL_SAME_TIMESTAMP = 0x04;
    static final int CELL_SAME_EXPIRY = 0x08;
    static final int CELL_COUNTER = 0x10;
    static final int CELL_EMPTY = 0x20;
    static final int COMPLEX = 0x40;
    static final int COMPLEX_DELETION = 0x80;

    static final int PARTITION_DELETION = 0x01;
    static final int RANGES = 0x02;

    static final int BEFORE = 0x20;
    static final int AFTER = 0x60;

    private Fragments()
    {
    }
}
