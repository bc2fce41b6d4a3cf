/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Map;

import org.apache.cassandra.utils.MD5Digest;

/** Cassandra's prepared statements. */
interface Statements
{
    /** @return null if there is none; Cassandra then counts the statement as used, and keeps it */
    Object find(MD5Digest id);

    /** @return null unless this is a SELECT, or a statement that writes where the door may write */
    Statement served(MD5Digest id, Object prepared);

    Lesson learn(Statement statement);

    /** All that there are, none of which counts as used. */
    Map<MD5Digest, ?> all();
}
