/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.Locale;

/** Bytes as people read them. */
final class ByteCount
{
    private static final int STEP = 1024;
    private static final String[] UNITS = { "bytes", "KiB", "MiB", "GiB", "TiB" };

    private ByteCount()
    {
    }

    static String text(long bytes)
    {
        int unit = 0;
        double count = bytes;
        for (; count >= STEP && unit < UNITS.length - 1; unit++)
            count /= STEP;
        return unit == 0 ? bytes + " bytes" : String.format(Locale.ROOT, "%.1f %s", count, UNITS[unit]);
    }
}
