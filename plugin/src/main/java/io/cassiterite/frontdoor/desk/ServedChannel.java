/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

/** A channel that hears what the door has answered of it. */
@FunctionalInterface
public interface ServedChannel
{
    /** The door has answered requests, which Cassandra has not seen. Called by any thread. */
    void served(long requests);
}
