/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.config.GuardrailsOptions;

/** The guardrails that look at each write. */
final class WriteGuardrails
{
    private WriteGuardrails()
    {
    }

    /** @return true if any of them may warn of a write, or refuse it */
    static boolean areAny()
    {
        GuardrailsOptions options = DatabaseDescriptor.getGuardrailsConfig();
        return !options.getWriteConsistencyLevelsWarned().isEmpty()
               || !options.getWriteConsistencyLevelsDisallowed().isEmpty()
               || options.getColumnValueSizeWarnThreshold() != null
               || options.getColumnValueSizeFailThreshold() != null
               || options.getMinimumTimestampWarnThreshold() != null
               || options.getMinimumTimestampFailThreshold() != null
               || options.getMaximumTimestampWarnThreshold() != null
               || options.getMaximumTimestampFailThreshold() != null
               || options.getDataDiskUsagePercentageWarnThreshold() >= 0
               || options.getDataDiskUsagePercentageFailThreshold() >= 0;
    }
}
