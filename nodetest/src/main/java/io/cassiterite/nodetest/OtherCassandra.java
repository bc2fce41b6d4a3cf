/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * An agent in a node that renames a private member of a class of Cassandra, or of its libraries, as the class is loaded, as another
 * version of Cassandra might have it.
 */
public final class OtherCassandra
{
    private OtherCassandra()
    {
    }

    /**
     * @param folder     of the jar that the JVM wants
     * @param className  for example {@code org.apache.cassandra.db.ColumnFamilyStore}
     * @param memberName a name that only members of this class itself have
     * @return the JVM option
     */
    public static String option(Path folder, String className, String memberName)
    {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(new Attributes.Name("Premain-Class"), OtherCassandra.class.getName());
        Path jar = folder.resolve("other-cassandra.jar");
        Checkout.create(folder);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest))
        {
            out.finish();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return "-javaagent:" + jar + '=' + className.replace('.', '/') + ':' + memberName;
    }

    /** Called by the JVM before its main method; its class is on the class path of every test node. */
    public static void premain(String argument, Instrumentation instrumentation)
    {
        String[] parts = argument.split(":");
        instrumentation.addTransformer(new ClassFileTransformer()
        {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes)
            {
                return parts[0].equals(name) ? renamed(bytes, parts[1]) : null;
            }
        });
    }

    /** The constant pool has each name once: its length in two bytes, then the name. */
    private static byte[] renamed(byte[] classFile, String member)
    {
        char begin = (char) member.length();
        String text = new String(classFile, StandardCharsets.ISO_8859_1);
        String other = '_' + member.substring(1);
        return text.replace("\1" + (char) 0 + begin + member, "\1" + (char) 0 + begin + other).getBytes(StandardCharsets.ISO_8859_1);
    }
}
