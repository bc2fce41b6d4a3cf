/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.regex.Pattern;

/**
 * Values of no bytes, which stock's indexes cannot have: with one, the hidden table of a legacy index cannot be flushed
 * any more, nor the table itself, and SAI does not find it in most types. Stateless.
 */
final class EmptyValues
{
    /** In the comment of a table that may hold them: {@link IndexedTables} gives it no legacy indexes. */
    static final String COMMENT = "may hold empty values";

    private static final Pattern LITERALS = Pattern.compile("(?<=^|[\\s(\\[{,=:])''(?=$|[\\s,)\\]}:;.])|\\b0x(?![0-9a-fA-F])");

    private EmptyValues()
    {
    }

    /** @return whether a piece of CQL has an empty value, also within another one */
    static boolean isIn(String cql)
    {
        return LITERALS.matcher(cql).find();
    }

    static boolean isIn(Step step)
    {
        return isIn(step.cql) || step.binds.contains(Step.Bind.EMPTY);
    }
}
