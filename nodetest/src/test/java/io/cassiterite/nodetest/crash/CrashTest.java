/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * kill -9 during writes, lightweight transactions among them (D9: the row must be there when the paxos state is), once per
 * commitlog_sync mode; {@code make crash} does it longer.
 */
class CrashTest
{
    private static final Logger logger = LoggerFactory.getLogger(CrashTest.class);
    private static final int ROUNDS = 3;

    @Test
    void nothingAcknowledgedIsLost() throws IOException
    {
        Verdict verdict = new CrashRun("crashtest", "cassiterite", System.currentTimeMillis() / 1000, logger::info).run(ROUNDS);
        assertEquals(List.of(), verdict.losses());
        assertTrue(verdict.nativeAnswers() > 0, "the front door has answered nothing");
        assertTrue(verdict.nativeWrites() > 0, "the front door has written nothing");
    }
}
