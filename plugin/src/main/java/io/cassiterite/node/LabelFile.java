/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A small text file of {@code name=value} lines, replaced atomically and durably. The first line names the format and
 * its version, the last one holds the CRC-32C of all lines before it.
 */
public final class LabelFile
{
    private static final String CHECKSUM = "crc32c=";

    private LabelFile()
    {
    }

    /** Writes the file; when it returns, the content is on the device. */
    public static void write(Path path, String format, Map<String, String> values) throws IOException
    {
        StringBuilder text = new StringBuilder(format).append('\n');
        for (Map.Entry<String, String> value : values.entrySet())
            text.append(value.getKey()).append('=').append(oneLine(value.getValue())).append('\n');
        String sum = checksum(text.toString());
        text.append(CHECKSUM).append(sum).append('\n');

        Path temporary = path.resolveSibling(path.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(temporary,
                                                    StandardOpenOption.CREATE,
                                                    StandardOpenOption.WRITE,
                                                    StandardOpenOption.TRUNCATE_EXISTING))
        {
            ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining())
                channel.write(bytes);
            channel.force(true);
        }
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        SyncedFolder.sync(path.toAbsolutePath().getParent());
    }

    /** Removes the file if it is there; durable when it returns. */
    public static void remove(Path path) throws IOException
    {
        if (Files.deleteIfExists(path))
            SyncedFolder.sync(path.toAbsolutePath().getParent());
    }

    /** @throws IOException if the file cannot be read, has none of the formats or is damaged */
    public static Map<String, String> read(Path path, String... formats) throws IOException
    {
        String text = Files.readString(path, StandardCharsets.UTF_8);
        int end = text.lastIndexOf(CHECKSUM);
        if (end < 0 || !text.substring(end + CHECKSUM.length()).trim().equals(checksum(text.substring(0, end))))
            throw new IOException(path + " is damaged: its checksum does not match");

        String[] lines = text.substring(0, end).split("\n");
        String found = lines.length == 0 ? "" : lines[0];
        if (!Arrays.asList(formats).contains(found))
            throw new IOException(path + " has the format '" + found + "', expected '" + String.join("' or '", formats) + '\'');

        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++)
        {
            int equals = lines[i].indexOf('=');
            if (equals < 0)
                throw new IOException(path + " is damaged: line " + (i + 1) + " has no '='");
            values.put(lines[i].substring(0, equals), lines[i].substring(equals + 1));
        }
        return values;
    }

    private static String oneLine(String value)
    {
        if (value.indexOf('\n') >= 0)
            throw new IllegalArgumentException("a value must be one line: " + value);
        return value;
    }

    private static String checksum(String text)
    {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }
}
