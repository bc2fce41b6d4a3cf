/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A driver of another language, in a program of its own: nodetest/drivers. A request is a line of words with tabs
 * between; an answer is a line with the number of its lines, and the lines. A backslash and a letter stand for a
 * backslash, a tab and a line feed.
 */
final class ProgramSession implements DriverSession
{
    private static final String LOG = "build/driver-programs.log";
    private static final int END_SECONDS = 20;

    private final Endpoint endpoint;
    private final Process process;
    private final Writer requests;
    private final BufferedReader answers;

    ProgramSession(File folder, List<String> command, Endpoint endpoint)
    {
        this.endpoint = endpoint;
        try
        {
            ProcessBuilder.Redirect log = ProcessBuilder.Redirect.appendTo(new File(folder, LOG));
            process = new ProcessBuilder(command).directory(folder).redirectError(log).start();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot run " + command, e);
        }
        requests = process.outputWriter(StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
        List<String> answer = ask("open", endpoint.address().getAddress().getHostAddress(),
                                  Integer.toString(endpoint.address().getPort()), Integer.toString(endpoint.version()),
                                  endpoint.compression(), endpoint.keyspace() == null ? "" : endpoint.keyspace());
        if (!answer.isEmpty())
        {
            close();
            throw new IllegalStateException(command + " does not connect: " + answer);
        }
    }

    @Override
    public List<String> prepare(String statement, String cql)
    {
        return ask("prepare", statement, cql);
    }

    @Override
    public List<String> execute(String statement, int pageRows, Object... values)
    {
        return ask(words(values, "execute", statement, Integer.toString(pageRows)));
    }

    @Override
    public List<String> page(String statement, int pageRows, String state, Object... values)
    {
        return ask(words(values, "page", statement, Integer.toString(pageRows), state == null ? "" : state));
    }

    @Override
    public List<String> concurrently(String statement, int count)
    {
        return ask("concurrently", statement, Integer.toString(count));
    }

    @Override
    public List<String> query(String cql)
    {
        return ask("query", cql);
    }

    @Override
    public List<String> use(String keyspace)
    {
        return ask("use", keyspace);
    }

    @Override
    public List<String> keyspace(String name)
    {
        return ask("keyspace", name);
    }

    @Override
    public List<String> nodes()
    {
        return ask("nodes");
    }

    private static String[] words(Object[] values, String... first)
    {
        List<String> words = new ArrayList<>(Arrays.asList(first));
        for (Object value : values)
            words.add(word(value));
        return words.toArray(String[]::new);
    }

    private static String word(Object value)
    {
        if (value == null)
            return "null";
        if (value == Unset.UNSET)
            return "unset";
        if (value instanceof Named named)
            return "named:" + named.name() + ':' + word(named.value());
        if (value instanceof Cell cell)
            return "cell:" + cell.column();
        return (value instanceof Integer ? "int:" : "text:") + value;
    }

    private List<String> ask(String... words)
    {
        try
        {
            requests.write(String.join("\t", Arrays.stream(words).map(ProgramSession::escaped).toList()) + '\n');
            requests.flush();
            String count = answers.readLine();
            if (count == null)
                throw new IllegalStateException("the program ended at " + String.join(" ", words) + "; its exit code is " + exitCode());
            List<String> lines = new ArrayList<>();
            for (int i = Integer.parseInt(count); i > 0; i--)
                lines.add(endpoint.anonymous(unescaped(answers.readLine())));
            return lines;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("the program ended at " + String.join(" ", words), e);
        }
    }

    private static String escaped(String word)
    {
        return word.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n");
    }

    private static String unescaped(String line)
    {
        return line.translateEscapes();
    }

    private int exitCode()
    {
        return ended() ? process.exitValue() : -1;
    }

    private boolean ended()
    {
        try
        {
            return process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close()
    {
        try
        {
            requests.close();
        }
        catch (IOException e)
        {
            // it has ended
        }
        if (!ended())
            process.destroyForcibly();
    }
}
