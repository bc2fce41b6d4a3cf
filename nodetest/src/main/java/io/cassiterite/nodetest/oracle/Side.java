/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

/** The tables of the index oracle: what serves queries of indexed columns. */
enum Side
{
    /** A stock table without indexes, whose queries all get ALLOW FILTERING: its rows are the right ones. */
    FILTER(""),
    /** Stock's first indexes, a hidden table for each: the right refusals. */
    LEGACY(" USING 'legacy_local_table'"),
    /** Stock's storage-attached indexes. */
    SAI(" USING 'sai'"),
    /** An engine table. */
    ENGINE("");

    private final String using;

    Side(String using)
    {
        this.using = using;
    }

    boolean isStock()
    {
        return this != ENGINE;
    }

    boolean hasIndexes()
    {
        return this != FILTER;
    }

    /** @return what CREATE INDEX ends with */
    String using()
    {
        return using;
    }
}
