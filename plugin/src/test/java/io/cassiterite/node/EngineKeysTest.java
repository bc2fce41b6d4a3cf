/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.List;
import java.util.Set;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class EngineKeysTest
{
    @Test
    void theyArePublishedAsTheyAlwaysWere()
    {
        assertEquals("keys/1:", EngineKeys.encode(Set.of()));
        assertEquals("keys/1:a%2C+b,orders", EngineKeys.encode(List.of("orders", "a, b")));
    }

    @Property(tries = 300)
    void eachSetComesBack(@ForAll Set<@NotEmpty @CharRange(from = ' ', to = '\u04ff') String> keys)
    {
        assertEquals(keys, EngineKeys.decode(EngineKeys.encode(keys)));
    }

    @Test
    void whatOthersPublishNamesNoKey()
    {
        for (String published : List.of("", "dc1", "keys/2:orders", "keys/1:", "keys/1:%zz", "keys/1:%4"))
            assertEquals(Set.of(), EngineKeys.decode(published), published);
    }
}
