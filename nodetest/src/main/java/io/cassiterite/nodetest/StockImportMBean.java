/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

/** What {@link StockImport} does over JMX. */
public interface StockImportMBean
{
    /** Imports the sstables of a folder. */
    void run(String keyspace, String table, String folder);
}
