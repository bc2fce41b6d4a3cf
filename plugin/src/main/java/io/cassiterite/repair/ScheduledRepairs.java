/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.Map;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.repair.autorepair.AutoRepair;
import org.apache.cassandra.repair.autorepair.AutoRepairConfig.RepairType;
import org.apache.cassandra.repair.autorepair.AutoRepairState;

/** Has scheduled repairs treat engine tables as those that people start. For one thread. */
public final class ScheduledRepairs
{
    private static final boolean EXIST = exist();

    private ScheduledRepairs()
    {
    }

    /** Called every second: the schedule may begin while the node runs, and its first repair waits for longer. */
    public static void adapt()
    {
        if (EXIST && AutoRepair.instance.isSetupDone)
        {
            adapt(RepairType.INCREMENTAL);
            adapt(RepairType.PREVIEW_REPAIRED);
        }
    }

    /** Not all of Cassandra 5.0 has them. */
    private static boolean exist()
    {
        try
        {
            Class.forName("org.apache.cassandra.repair.autorepair.AutoRepair", false, ScheduledRepairs.class.getClassLoader());
            return true;
        }
        catch (ClassNotFoundException e)
        {
            return false;
        }
    }

    private static void adapt(RepairType type)
    {
        Map<RepairType, AutoRepairState> states = AutoRepair.instance.repairStates;
        AutoRepairState state = states.get(type);
        if (!(state instanceof ScheduledRepair) && !state.isRepairInProgress())
            states.put(type, new ScheduledRepair(type, DatabaseDescriptor.getAutoRepairConfig(), state, states.get(RepairType.FULL)));
    }
}
