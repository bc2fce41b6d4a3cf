/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.linkage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The classes of some jars with their members, without loading them. Names are those of class files. */
final class ClassOutlines
{
    /** What is known of one class. */
    static final class Outline
    {
        final List<String> supertypes = new ArrayList<>();
        /** Access flags by name and descriptor. */
        final Map<String, Integer> members = new HashMap<>();
        int access;
    }

    final Map<String, Outline> outlines = new HashMap<>();

    void add(Path jar) throws IOException
    {
        try (JarFile file = new JarFile(jar.toFile()))
        {
            for (JarEntry entry : (Iterable<JarEntry>) file.stream().filter(e -> e.getName().endsWith(".class"))::iterator)
                try (InputStream in = file.getInputStream(entry))
                {
                    new ClassReader(in).accept(new Outliner(), ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
                }
        }
    }

    /** @return the access flags of a member, its own or inherited; null if there is none */
    Integer find(String owner, String member)
    {
        Outline outline = outlines.get(owner);
        if (outline == null)
            return ofPlatform(owner, member);
        Integer access = outline.members.get(member);
        for (String supertype : outline.supertypes)
            if (access == null)
                access = find(supertype, member);
        return access;
    }

    /** Of the JDK's classes; those of other libraries are taken to have everything. */
    private static Integer ofPlatform(String owner, String member)
    {
        if (!owner.startsWith("java/"))
            return Opcodes.ACC_PUBLIC;
        try
        {
            boolean has = Arrays.stream(Class.forName(owner.replace('/', '.')).getMethods())
                                .anyMatch(method -> member.equals(method.getName() + Type.getMethodDescriptor(method)));
            return has ? Opcodes.ACC_PUBLIC : null;
        }
        catch (ClassNotFoundException e)
        {
            return null;
        }
    }

    private final class Outliner extends ClassVisitor
    {
        private Outline outline;

        Outliner()
        {
            super(Opcodes.ASM9);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName, String[] interfaces)
        {
            outline = new Outline();
            outline.access = access;
            if (superName != null)
                outline.supertypes.add(superName);
            outline.supertypes.addAll(List.of(interfaces));
            outlines.put(name, outline);
        }

        @Override
        public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value)
        {
            outline.members.put(name + ':' + descriptor, access);
            return null;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions)
        {
            outline.members.put(name + descriptor, access);
            return null;
        }
    }
}
