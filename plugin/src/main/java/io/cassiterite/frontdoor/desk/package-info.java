/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The desk: what Java tells the front door, so that the door gives no answer that Cassandra could not give. It may always
 * forward. It answers while five things hold: the lease runs, the table is open, the statement has a recipe, the pair of
 * login and statement is granted, and the node is a replica that may answer, alone or where others agree.
 *
 * <ul>
 * <li>Whoever changes what one of them depends on changes it first, then tells the desk, and only then acknowledges. The
 * desk looks and tells the door under a lock. So an opening either sees the change, or ends before it is acknowledged.
 * <li>Callers may hold locks of Cassandra's: a schema change holds the schema's, TRUNCATE the table's. Nothing that the
 * desk does under a lock of its own waits for one of those, for another node or for a file.
 * <li>The thread {@code cassiterite-desk} looks at all gates ten times a second. The thread {@code
 * cassiterite-desk-clerk} does what may take long: it learns recipes, decides grants, feeds metrics. If it is held up, the
 * first one withdraws its grants. The thread {@code cassiterite-desk-ring} computes ranges and replicas.
 * </ul>
 */
package io.cassiterite.frontdoor.desk;
