/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** One file of a shipment (docs/internals/formats.md, "Shipment"). Immutable. */
public final class ShipmentFile
{
    /** The kinds of files in a shipment; the order is that of the stream format's codes. */
    public enum Kind
    {
        /** A hard link of a live file. */
        WHOLE,
        /** Written for the shipment, row by row. */
        ROWS,
        /** The shipment's manifest. */
        MANIFEST
    }

    private static final int FIELDS = 7;
    private static final int HEXADECIMAL = 16;
    private static final String ENDING = ".sst";
    private static final String ROWS_PREFIX = "rows-";

    private final String name;
    private final Kind kind;
    private final long bytes;
    private final int level;
    private final long keys;
    private final OptionalInt checksum;
    private final String reason;

    private ShipmentFile(String[] fields)
    {
        name = fields[0];
        kind = kindOf(fields[1]);
        bytes = Long.parseLong(fields[2]);
        level = Integer.parseInt(fields[3]);
        keys = Long.parseLong(fields[4]);
        checksum = checksumOf(fields[5]);
        reason = fields[6];
    }

    /** The files in the engine's lines of tab-separated values, whose first line has the names. */
    static List<ShipmentFile> parse(String lines)
    {
        List<ShipmentFile> files = new ArrayList<>();
        boolean isHead = true;
        for (String line : lines.split("\n"))
        {
            if (!isHead)
                files.add(new ShipmentFile(line.split("\t", FIELDS)));
            isHead = false;
        }
        return files;
    }

    private static Kind kindOf(String name)
    {
        switch (name)
        {
            case "whole":
                return Kind.WHOLE;
            case "rows":
                return Kind.ROWS;
            case "manifest":
                return Kind.MANIFEST;
            default:
                throw new IllegalStateException("the engine shipped a file of unknown kind " + name);
        }
    }

    private static OptionalInt checksumOf(String digits)
    {
        return digits.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseUnsignedInt(digits, HEXADECIMAL));
    }

    /** True of the names of whole files only. */
    public static boolean isWhole(String name)
    {
        return name.endsWith(ENDING) && !name.startsWith(ROWS_PREFIX);
    }

    /** Its name in the shipment's directory. */
    public String name()
    {
        return name;
    }

    public Kind kind()
    {
        return kind;
    }

    public long bytes()
    {
        return bytes;
    }

    /** The level that it had; 0 if it is no whole file. */
    public int level()
    {
        return level;
    }

    /** Keys in it. */
    public long keys()
    {
        return keys;
    }

    /**
     * CRC-32C of the bytes from when they were written, where the engine knows it; so it shows what the disk has
     * damaged since.
     */
    public OptionalInt checksum()
    {
        return checksum;
    }

    /** Why its rows were not sent as whole files; empty for whole files and the manifest. */
    public String reason()
    {
        return reason;
    }
}
