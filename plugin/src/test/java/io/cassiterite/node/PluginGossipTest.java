/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The version of the plug-in in gossip. */
class PluginGossipTest
{
    @Test
    void thisVersionAndLaterOnesTakeShipments()
    {
        assertTrue(PluginGossip.takesShipments(PluginGossip.VALUE));
        assertTrue(PluginGossip.takesShipments("cassiterite/999999999"));
    }

    @Test
    void othersDoNot()
    {
        for (String published : List.of("", "cassiterite/0", "cassiterite/", "cassiterite/1x", "another/1",
                                        "cassiterite/99999999999999999999"))
            assertFalse(PluginGossip.takesShipments(published), published);
    }
}
