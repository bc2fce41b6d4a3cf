/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A node's system.log. Reads see what was written since {@link #mark}, at first everything. Thread-safe. */
public final class NodeLog
{
    private static final int TAIL_LINES = 60;
    private static final Pattern ENTRY = Pattern.compile("^(ERROR|WARN|INFO|DEBUG|TRACE) +\\[");

    private final Path file;
    private volatile long markBytes;

    NodeLog(Path file)
    {
        this.file = file;
    }

    /** From now on only newer lines are seen. */
    public void mark()
    {
        try
        {
            markBytes = Files.exists(file) ? Files.size(file) : 0;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    /** @return the lines in which the expression is found */
    public List<String> grep(String regex)
    {
        Pattern pattern = Pattern.compile(regex);
        return lines().stream().filter(line -> pattern.matcher(line).find()).collect(Collectors.toList());
    }

    /** Waits for a line in which the expression is found. */
    public String await(String regex, Duration bound)
    {
        Await.until("a line with '" + regex + "' in " + file, bound, () -> !grep(regex).isEmpty());
        return grep(regex).get(0);
    }

    /** @return the lines of level ERROR */
    public List<String> errors()
    {
        return grep("^ERROR ");
    }

    /** @return all lines since the mark */
    public List<String> lines()
    {
        if (!Files.exists(file))
            return List.of();
        try (FileChannel channel = FileChannel.open(file))
        {
            // a log that was rolled over starts again at zero
            long from = Math.min(markBytes, channel.size()) == markBytes ? markBytes : 0;
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size() - from));
            while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0)
            {
                // until full
            }
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).lines()
                                                                                         .collect(Collectors.toList());
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    /** @return why the node failed: its last ERROR with the trace, else its last lines */
    public String lastTrouble()
    {
        List<String> lines = lines();
        for (int i = lines.size() - 1; i >= 0; i--)
        {
            if (lines.get(i).startsWith("ERROR "))
                return entry(lines.subList(i, lines.size()));
        }
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }

    private static String entry(List<String> lines)
    {
        int end = 1;
        while (end < Math.min(lines.size(), TAIL_LINES) && !ENTRY.matcher(lines.get(end)).find())
            end++;
        return String.join("\n", lines.subList(0, end));
    }
}
