/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import org.apache.cassandra.utils.MD5Digest;

/** A connection has executed a statement that the door could not answer, and would like to. */
final class Wanted
{
    final long connection;
    final MD5Digest statement;

    Wanted(long connection, MD5Digest statement)
    {
        this.connection = connection;
        this.statement = statement;
    }
}
