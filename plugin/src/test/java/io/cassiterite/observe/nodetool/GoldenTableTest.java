/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.airlift.airline.Command;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.tools.JMXTool;
import org.apache.cassandra.tools.NodeTool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The golden tables say of each verb of nodetool and of each metric of a table what it is to an engine table. A verb or a
 * metric that they lack fails: somebody has to find out.
 */
class GoldenTableTest
{
    private static final Path VERBS = Path.of("src/test/resources/nodetool-verbs.tsv");
    private static final Path METRICS = Path.of("src/test/resources/table-metrics.tsv");
    private static final Path PAGE = Path.of("../docs/operating/nodetool-and-metrics.md");
    private static final Pattern CHECK = Pattern.compile("positive|zero|twin|(figure|near) [a-z0-9_]+");
    private static final Set<String> CLASSES = Set.of("true", "refused", "meaningless", "node");

    @Test
    void everyVerbIsKnown() throws Exception
    {
        assertEquals(verbsOfCassandra(), column(VERBS, 0));
    }

    private static Set<String> verbsOfCassandra() throws Exception
    {
        Set<String> verbs = new TreeSet<>();
        try (JarFile jar = new JarFile(NodeTool.class.getProtectionDomain().getCodeSource().getLocation().getPath()))
        {
            List<String> names = jar.stream().map(entry -> entry.getName()).filter(name -> name.startsWith("org/apache/cassandra/tools/"))
                                    .filter(name -> name.endsWith(".class")).collect(Collectors.toList());
            for (String name : names)
            {
                Class<?> type = Class.forName(name.substring(0, name.length() - ".class".length()).replace('/', '.'), false,
                                              GoldenTableTest.class.getClassLoader());
                if (type.isAnnotationPresent(Command.class) && !isOfAnotherTool(type))
                    verbs.add(verb(type));
            }
        }
        return verbs;
    }

    private static boolean isOfAnotherTool(Class<?> type)
    {
        return type.getEnclosingClass() == JMXTool.class || type.getSimpleName().equals("CassHelp");
    }

    /** Verbs of a group share their line. */
    private static String verb(Class<?> type)
    {
        if (type.getEnclosingClass() != null && type.getEnclosingClass().getSimpleName().equals("RepairAdmin"))
            return "repair_admin";
        String name = type.getAnnotation(Command.class).name();
        return type.getSimpleName().equals("BootstrapResume") ? "bootstrap " + name : name;
    }

    @Test
    void everyMetricOfATableIsKnown() throws IOException
    {
        Set<String> fields = Arrays.stream(TableMetrics.class.getFields())
                                   .filter(field -> !Modifier.isStatic(field.getModifiers()))
                                   .map(Field::getName).collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = column(METRICS, 1);
        known.remove("-");
        assertEquals(fields, known);
    }

    @Test
    void eachHasAClassAndASentence() throws IOException
    {
        for (String[] row : rows(VERBS))
            assertSaid(row[0], row[1], row[2]);
        for (String[] row : rows(METRICS))
            assertSaid(row[0], row[2], row[3]);
    }

    private static void assertSaid(String name, String type, String text)
    {
        assertTrue(CLASSES.contains(type), name);
        assertEquals(type.equals("node"), text.equals("-"), name);
    }

    /** A node test reads each metric that is called true, and compares it as its last column says. */
    @Test
    void eachTrueMetricHasACheck() throws IOException
    {
        for (String[] row : rows(METRICS))
        {
            assertEquals(5, row.length, row[0]);
            boolean isChecked = row[2].equals("true") && !row[0].equals("-");
            assertTrue(isChecked ? CHECK.matcher(row[4]).matches() : row[4].equals("-"), row[0]);
        }
    }

    @Test
    void thePageSaysTheSame() throws IOException
    {
        String page = Files.readString(PAGE);
        Set<String> lines = new TreeSet<>();
        for (String[] row : rows(VERBS))
            if (row[1].equals("node"))
                assertTrue(page.contains("`" + row[0] + "`"), row[0]);
            else
                lines.add(line(row[0], row[1], row[2]));
        for (String[] row : rows(METRICS))
            if (!row[0].equals("-"))
                lines.add(line(row[0], row[2], row[3]));
        Set<String> written = page.lines().filter(line -> line.startsWith("| `")).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(String.join("\n", lines), String.join("\n", written));
    }

    private static String line(String names, String type, String text)
    {
        String title = type.equals("meaningless") ? "without meaning" : type;
        return "| `" + names.replace(", ", "`, `") + "` | " + title + " | " + text + " |";
    }

    private static Set<String> column(Path table, int index) throws IOException
    {
        return rows(table).stream().map(row -> row[index]).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String[]> rows(Path table) throws IOException
    {
        return Files.readAllLines(table).stream().map(line -> line.split("\t")).collect(Collectors.toList());
    }
}
