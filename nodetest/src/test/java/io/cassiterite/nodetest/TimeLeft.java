/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.time.Instant;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Begins no test after the second of the epoch that {@code cassiterite.tests_until} names, if it is set: `make test` has to
 * end on a slow machine, too. Its summary names what was left out.
 */
public final class TimeLeft implements ExecutionCondition
{
    private static final long UNTIL_SECONDS = Long.getLong("cassiterite.tests_until", Long.MAX_VALUE);
    /** What scripts/test_summary.py looks for. */
    private static final String REASON = "no time left";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context)
    {
        return Instant.now().getEpochSecond() < UNTIL_SECONDS ? ConditionEvaluationResult.enabled("there is time left")
                                                              : ConditionEvaluationResult.disabled(REASON);
    }
}
