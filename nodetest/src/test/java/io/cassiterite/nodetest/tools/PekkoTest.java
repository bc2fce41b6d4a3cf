/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Pekko's actors persist their events in engine tables, and recover from them, as from stock ones. */
@Tag("tools")
class PekkoTest
{
    @Test
    void actorsRecover()
    {
        List<String> lines = TwoNodes.sameProgram("pekko", "Accounts", false);
        assertTrue(lines.contains("recovered: account-11 has 661770 after 60"), lines::toString);
    }
}
