/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.utils.MD5Digest;

/** Makes plans of prepared statements. */
@FunctionalInterface
public interface PlanSource
{
    /** Called by one thread at a time. */
    Learned learn(MD5Digest id, QueryHandler.Prepared prepared);
}
