/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A JUnit class that works on a running node. Its constructor and methods may take a {@link Node} and a {@link Cql};
 * the latter uses a keyspace of the class's own, named like the class in lower case. Classes with equal values here
 * share one node; a class that stops, kills or restarts its node, or moves its clock, must have {@code own = true}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(NodeExtension.class)
public @interface NodeTest
{
    /** Without the plug-in. */
    boolean stock() default false;

    /** A node for this class alone; it is killed after the class. */
    boolean own() default false;

    /** Top-level keys of cassandra.yaml, as {@code "key: value"}. */
    String[] yaml() default {};

    /** JVM options. */
    String[] jvm() default {};

    /** As in {@code -Xmx}. */
    String heap() default "1g";
}
