/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A start whose store has rows from before a restore is refused, and then told to set them aside. */
final class SetAside
{
    private static final String OPTION = "-Dcassiterite.set_aside=";

    private SetAside()
    {
    }

    /** @param tables those that the refusal names; @return what it said */
    static String assertRefused(NodeBuilder builder, String keyspace, String... tables)
    {
        try (Node refused = builder.build())
        {
            String said = refused.startRefused();
            for (String table : tables)
                assertTrue(said.matches("(?s).*start with " + OPTION + keyspace + "[.]" + table + ", which (puts|keeps) .*"), said);
            return said;
        }
    }

    /** @return the option that the refusal of several tables names for all of them */
    static String forAll(String refusal)
    {
        return refusal.lines().filter(line -> line.startsWith("    " + OPTION)).map(String::strip).findFirst().orElseThrow();
    }
}
