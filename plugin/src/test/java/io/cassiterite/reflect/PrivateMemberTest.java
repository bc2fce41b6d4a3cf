/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.reflect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.apache.cassandra.transport.Connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PrivateMemberTest
{
    private static final Path SOURCES = Path.of("src/main/java/io/cassiterite");
    private static final Pattern REFLECTION = Pattern.compile("\\.getDeclared(Field|Method|Constructor)|setAccessible");

    @ParameterizedTest
    @EnumSource(PrivateMember.Use.class)
    void thisCassandraHasAllOfThem(PrivateMember.Use use)
    {
        assertEquals(List.of(), PrivateMember.missing(use));
    }

    /** Else something could be missing of which the start knows nothing. */
    @Test
    void nothingElseReachesPrivateMembers() throws IOException
    {
        try (Stream<Path> files = Files.walk(SOURCES))
        {
            List<String> users = files.filter(file -> file.toString().endsWith(".java"))
                                      .filter(PrivateMemberTest::reachesPrivateMembers)
                                      .map(file -> file.getFileName().toString())
                                      .collect(Collectors.toList());
            assertEquals(List.of("MemberReference.java"), users);
        }
    }

    private static boolean reachesPrivateMembers(Path file)
    {
        try
        {
            return REFLECTION.matcher(Files.readString(file)).find();
        }
        catch (IOException e)
        {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aMissingMemberIsNamed()
    {
        assertMissing(MemberReference.field("org.apache.cassandra.db.ColumnFamilyStore", "noSuchField", Object.class.getName()),
                      "ColumnFamilyStore.noSuchField");
        assertMissing(MemberReference.method("org.apache.cassandra.db.ColumnFamilyStore", "noSuchMethod", "void"),
                      "ColumnFamilyStore.noSuchMethod()");
        assertMissing(MemberReference.field("org.apache.cassandra.NoSuchClass", "field", "int"), "NoSuchClass.field");
    }

    /** Its values would be taken for something else. */
    @Test
    void aMemberOfAnotherTypeIsMissing()
    {
        assertMissing(MemberReference.field("org.apache.cassandra.db.ColumnFamilyStore", "streamManager", String.class.getName()),
                      "ColumnFamilyStore.streamManager of type java.lang.String");
        assertMissing(MemberReference.method("org.apache.cassandra.transport.ServerConnection", "stage", "int"),
                      "ServerConnection.stage()");
    }

    private static void assertMissing(MemberReference reference, String name)
    {
        String missing = reference.missing();
        assertTrue(missing != null && missing.contains(name), missing);
        assertThrows(IllegalStateException.class, () -> reference.get(null));
    }

    /** Cassandra changed it in 5.0.9. */
    @Test
    void oneOfTwoFormsIsEnough()
    {
        MemberReference is = MemberReference.method("java.lang.Math", "abs", "int", "int");
        MemberReference other = MemberReference.method("java.lang.Math", "abs", "int", "int", "int");
        for (MemberReference one : List.of(MemberReference.oneOf(is, other), MemberReference.oneOf(other, is)))
        {
            assertEquals(1, one.parameters());
            assertEquals(3, one.invoke(null, -3));
        }
        assertMissing(MemberReference.oneOf(other, other), "Math.abs(int, int) of type int, nor Math.abs(int, int)");
    }

    @Test
    void valuesAreReadAndMethodsAreCalled()
    {
        assertNotNull(MemberReference.field(Connection.class.getName(), "attributeKey", "io.netty.util.AttributeKey").get(null));
        assertEquals(3, MemberReference.method("java.lang.Math", "abs", "int", "int").invoke(null, -3));
    }
}
