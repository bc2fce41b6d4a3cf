/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.linkage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Compares what the plug-in's jar uses of Cassandra with what a version of Cassandra has: classes, methods and fields,
 * also of code that no test reaches. Arguments: the plug-in's jar, Cassandra's jar.
 */
public final class LinkageMain
{
    private static final String CASSANDRA = "org/apache/cassandra/";

    /** What the jar looks for before it uses it. */
    private static final List<String> OPTIONAL = List.of("org/apache/cassandra/repair/autorepair/AutoRepair",
                                                         "OutOfTokenRangeRequests", ".totalOpsForInvalidToken");

    private final ClassOutlines classes = new ClassOutlines();
    private final Map<String, TreeSet<String>> missing = new TreeMap<>();

    private LinkageMain()
    {
    }

    /** Ends with 1 if something is missing. */
    public static void main(String[] arguments) throws IOException
    {
        LinkageMain linkage = new LinkageMain();
        linkage.classes.add(Path.of(arguments[1]));
        linkage.classes.add(Path.of(arguments[0]));
        linkage.check(Path.of(arguments[0]));
        linkage.missing.forEach((what, users) -> System.out.println("missing: " + what + ", used by " + users));
        System.exit(linkage.missing.isEmpty() ? 0 : 1);
    }

    private void check(Path plugin) throws IOException
    {
        try (JarFile jar = new JarFile(plugin.toFile()))
        {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream().filter(e -> e.getName().endsWith(".class"))::iterator)
                try (InputStream in = jar.getInputStream(entry))
                {
                    ClassReader reader = new ClassReader(in);
                    reader.accept(new UseFinder(reader.getClassName()), ClassReader.SKIP_DEBUG);
                    checkAbstract(reader.getClassName(), reader.getClassName());
                }
        }
    }

    private void checkType(String user, String type)
    {
        if (type.startsWith(CASSANDRA) && !classes.outlines.containsKey(type))
            report(type, user);
    }

    private void checkMember(String user, String owner, String member)
    {
        if (!owner.startsWith(CASSANDRA))
            return;
        checkType(user, owner);
        Integer access = classes.outlines.containsKey(owner) ? classes.find(owner, member) : Integer.valueOf(Opcodes.ACC_PUBLIC);
        if (access == null || (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) == 0)
            report(owner + '.' + member, user);
    }

    /** A class that is not abstract has each method that its supertypes want. */
    private void checkAbstract(String user, String type)
    {
        ClassOutlines.Outline own = classes.outlines.get(user);
        ClassOutlines.Outline outline = classes.outlines.get(type);
        if (outline == null || (own.access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_INTERFACE)) != 0)
            return;
        for (Map.Entry<String, Integer> member : outline.members.entrySet())
            if ((member.getValue() & Opcodes.ACC_ABSTRACT) != 0 && !isImplemented(user, member.getKey()))
                report("an implementation of " + type + '.' + member.getKey(), user);
        for (String supertype : outline.supertypes)
            checkAbstract(user, supertype);
    }

    private boolean isImplemented(String type, String method)
    {
        ClassOutlines.Outline outline = classes.outlines.get(type);
        if (outline == null)
            return false;
        Integer access = outline.members.get(method);
        return access != null && (access & Opcodes.ACC_ABSTRACT) == 0
               || outline.supertypes.stream().anyMatch(supertype -> isImplemented(supertype, method));
    }

    private void report(String what, String user)
    {
        if (OPTIONAL.stream().noneMatch(what::contains))
            missing.computeIfAbsent(what, key -> new TreeSet<>()).add(user);
    }

    private final class UseFinder extends ClassVisitor
    {
        private final String user;

        UseFinder(String user)
        {
            super(Opcodes.ASM9);
            this.user = user;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName, String[] interfaces)
        {
            checkType(user, superName);
            for (String type : interfaces)
                checkType(user, type);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions)
        {
            return new MethodVisitor(Opcodes.ASM9)
            {
                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface)
                {
                    checkMember(user, owner, called + type);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String type)
                {
                    checkMember(user, owner, field + ':' + type);
                }

                @Override
                public void visitTypeInsn(int opcode, String type)
                {
                    checkType(user, type);
                }

                @Override
                public void visitInvokeDynamicInsn(String called, String type, Handle bootstrap, Object... constants)
                {
                    for (Object constant : constants)
                        if (constant instanceof Handle)
                            checkHandle((Handle) constant);
                }

                private void checkHandle(Handle handle)
                {
                    String separator = handle.getTag() <= Opcodes.H_PUTSTATIC ? ":" : "";
                    checkMember(user, handle.getOwner(), handle.getName() + separator + handle.getDesc());
                }
            };
        }
    }
}
