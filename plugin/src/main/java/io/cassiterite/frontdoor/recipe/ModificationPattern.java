/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.schema.ColumnMetadata;

/** The write of a statement, with an operand in the place of each value. Immutable by convention. */
final class ModificationPattern
{
    final boolean isStatic;
    final boolean isInsert;
    final boolean deletesRow;
    final List<Operand> key;
    final List<Operand> clustering;
    final List<Written> cells;
    /** In seconds; null: what is written does not expire. */
    final Operand ttl;

    /** @param values of the cells that are not deleted */
    ModificationPattern(ProbedWrite like, List<Operand> key, List<Operand> clustering, List<Operand> values, Operand ttl)
    {
        this.ttl = ttl.isBind() || like.ttlSeconds != 0 ? ttl : null;
        this.isStatic = like.row.isStatic();
        this.isInsert = !like.row.primaryKeyLivenessInfo().isEmpty();
        this.deletesRow = !like.row.deletion().isLive();
        this.key = key;
        this.clustering = clustering;
        this.cells = new ArrayList<>();
        List<Cell<?>> found = like.cells();
        Iterator<Operand> live = values.iterator();
        for (Cell<?> cell : found)
            cells.add(new Written(cell.column(), cell.isTombstone() ? null : live.next()));
    }

    BitSet keyBinds()
    {
        return binds(key.stream());
    }

    /** Those that may be null or unset. */
    BitSet cellBinds()
    {
        return binds(cells.stream().map(cell -> cell.value).filter(Objects::nonNull));
    }

    private static BitSet binds(Stream<Operand> operands)
    {
        BitSet binds = new BitSet();
        operands.filter(Operand::isBind).forEach(operand -> binds.set(operand.bind()));
        return binds;
    }

    /** A cell. */
    static final class Written
    {
        final ColumnMetadata column;
        /** Null: it is deleted. */
        final Operand value;

        Written(ColumnMetadata column, Operand value)
        {
            this.column = column;
            this.value = value;
        }
    }
}
