/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

/** Decides whether a login may execute a statement. */
@FunctionalInterface
interface Authority
{
    /** May take long, as when Cassandra asks other nodes. Throws nothing where the answer is no. */
    boolean allows(ClientConnection connection, Statement statement);
}
