/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

/**
 * A test class that sets up Cassandra in a way of its own, or changes or counts what is static in Cassandra or the plug-in:
 * it runs in a JVM of its own. All others share one, which {@link SharedJvm} sets up.
 */
@Tag(OwnJvm.TAG)
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OwnJvm
{
    /** As in pom.xml. */
    String TAG = "own-jvm";
}
