/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.regex.Pattern;

/**
 * Values that stock's indexes cannot have: those of no bytes, and a NaN with a sign. With one, the hidden table of a
 * legacy index cannot be flushed any more, nor the table itself; SAI does not find it, or orders it otherwise. Stateless.
 */
final class OddValues
{
    /** In the comment of a table that may hold them: {@link IndexedTables} gives it no legacy indexes. */
    static final String COMMENT = "may hold odd values";

    private static final Pattern LITERALS = Pattern.compile("(?<=^|[\\s(\\[{,=:])''(?=$|[\\s,)\\]}:;.])|\\b0x(?![0-9a-fA-F])|0xffc00000");

    private OddValues()
    {
    }

    /** @return whether a piece of CQL has such a value, also within another one */
    static boolean isIn(String cql)
    {
        return LITERALS.matcher(cql).find();
    }

    static boolean isIn(Step step)
    {
        return isIn(step.cql) || step.binds.contains(Step.Bind.EMPTY);
    }
}
