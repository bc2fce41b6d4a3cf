/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.config.GuardrailsOptions;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.NoSpamLogger;

/**
 * Warns once an hour of the settings that the node has and engine tables ignore. They may change while it runs. Used by
 * one thread.
 */
final class IgnoredSettings
{
    private static final Logger logger = LoggerFactory.getLogger(IgnoredSettings.class);
    private static final NoSpamLogger HOURLY = NoSpamLogger.getLogger(logger, 1, TimeUnit.HOURS);

    private IgnoredSettings()
    {
    }

    /** @param tables the engine tables that are open */
    static void check(List<TableMetadata> tables)
    {
        for (String warning : warnings(tables))
            HOURLY.warn(warning, tables.get(0));
    }

    /** @return warnings with a placeholder for the name of a table; none if there are no engine tables */
    static List<String> warnings(List<TableMetadata> tables)
    {
        List<String> warnings = new ArrayList<>();
        if (tables.isEmpty())
            return warnings;
        if (DatabaseDescriptor.getEncryptionContext().isEnabled())
            warnings.add("transparent_data_encryption_options encipher the commit log, but not Cassiterite's own log, which has what is " +
                         "written to {} and other tables of it");
        if (limitsDiskUsage(DatabaseDescriptor.getGuardrailsConfig()))
            warnings.add("The guardrail data_disk_usage_percentage does not see Cassiterite's store, where {} and others are: watch its " +
                         "device");
        return warnings;
    }

    private static boolean limitsDiskUsage(GuardrailsOptions guardrails)
    {
        return guardrails.getDataDiskUsagePercentageWarnThreshold() > 0 || guardrails.getDataDiskUsagePercentageFailThreshold() > 0;
    }
}
