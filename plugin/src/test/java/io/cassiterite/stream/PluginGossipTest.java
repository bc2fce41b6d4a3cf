/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The application states of the plug-in in gossip. */
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

    @Test
    void retainedFilesAreReadAsTheyWerePublished()
    {
        Set<Long> keys = Set.of(1L, -1L, Long.MIN_VALUE);
        assertEquals(keys, RetainedFilesGossip.decode(RetainedFilesGossip.encode(keys)));
        assertEquals(Set.of(), RetainedFilesGossip.decode(RetainedFilesGossip.encode(Set.of())));
        assertEquals(Set.of(), RetainedFilesGossip.decode("retained/2:AAAAAAAAAAA="));
        assertEquals(Set.of(), RetainedFilesGossip.decode("retained/1:!"));
    }
}
