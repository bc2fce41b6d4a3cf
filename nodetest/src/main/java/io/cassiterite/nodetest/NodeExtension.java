/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.util.Arrays;
import java.util.Locale;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts the nodes of {@link NodeTest} classes, and shares them among the classes of this process. */
public final class NodeExtension implements BeforeAllCallback, AfterAllCallback, ParameterResolver
{
    private static final Namespace NAMESPACE = Namespace.create(NodeExtension.class);

    @Override
    public void beforeAll(ExtensionContext context)
    {
        Node node = node(context);
        // an earlier class left the shared node down: one message here, not one in each test
        if (!node.isRunning())
            throw new IllegalStateException("the shared node " + node.name() + " is down: a class that ends its node"
                                            + " must have own = true\n" + node.log().lastTrouble());
        try (Cql cql = node.cql())
        {
            cql.freshKeyspace(keyspace(context));
        }
    }

    @Override
    public void afterAll(ExtensionContext context)
    {
        Store store = classStore(context);
        Cql cql = store.remove(Cql.class, Cql.class);
        if (cql != null)
            cql.close();
        Node own = store.remove(Node.class, Node.class);
        if (own != null)
            own.close();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context)
    {
        Class<?> type = parameter.getParameter().getType();
        return type == Node.class || type == Cql.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context)
    {
        return parameter.getParameter().getType() == Node.class ? node(context) : cql(context);
    }

    private static Cql cql(ExtensionContext context)
    {
        return classStore(context).getOrComputeIfAbsent(Cql.class, key -> node(context).cql(keyspace(context)),
                                                        Cql.class);
    }

    private static Node node(ExtensionContext context)
    {
        NodeTest wanted = testClass(context).getAnnotation(NodeTest.class);
        if (wanted.own())
            return classStore(context).getOrComputeIfAbsent(Node.class, key -> start(wanted, keyspace(context)),
                                                            Node.class);
        // The root's store closes what is AutoCloseable when all tests have ended.
        Store shared = context.getRoot().getStore(NAMESPACE);
        return shared.getOrComputeIfAbsent(kind(wanted), key -> start(wanted, kindName(wanted)), Node.class);
    }

    private static Node start(NodeTest wanted, String name)
    {
        NodeBuilder builder = Node.named(name).heap(wanted.heap());
        if (wanted.stock())
            builder.stock();
        for (String entry : wanted.yaml())
        {
            int colon = entry.indexOf(':');
            if (colon < 0)
                throw new IllegalArgumentException("yaml wants \"key: value\", not \"" + entry + '"');
            builder.yaml(entry.substring(0, colon), entry.substring(colon + 1).strip());
        }
        Arrays.stream(wanted.jvm()).forEach(builder::jvm);
        return builder.start();
    }

    private static String kind(NodeTest wanted)
    {
        return wanted.stock() + "|" + String.join("\n", wanted.yaml()) + "|" + String.join("\n", wanted.jvm()) + "|"
               + wanted.heap();
    }

    private static String kindName(NodeTest wanted)
    {
        return "shared-" + Integer.toHexString(kind(wanted).hashCode()) + '-' + Fork.number();
    }

    private static String keyspace(ExtensionContext context)
    {
        return testClass(context).getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static Class<?> testClass(ExtensionContext context)
    {
        Class<?> type = context.getRequiredTestClass();
        while (type.getEnclosingClass() != null)
            type = type.getEnclosingClass();
        return type;
    }

    private static Store classStore(ExtensionContext context)
    {
        return context.getRoot().getStore(Namespace.create(NodeExtension.class, testClass(context)));
    }
}
