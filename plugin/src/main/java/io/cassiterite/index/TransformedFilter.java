/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.FBUtilities;

/**
 * The filter of a query where an index transforms texts: a predicate that the index answers compares transformed texts,
 * so that the rows do not depend on whether an entry or a scan has led to them.
 */
final class TransformedFilter extends RowFilter
{
    private TransformedFilter(List<Expression> expressions, boolean needsReconciliation)
    {
        super(expressions, needsReconciliation);
    }

    /** @param indexes the column that an expression is answered by; null for none */
    static RowFilter of(RowFilter filter, Function<Expression, IndexedColumn> indexes)
    {
        List<Expression> expressions = new ArrayList<>();
        boolean transforms = false;
        for (Expression expression : filter)
        {
            IndexedColumn indexed = indexes.apply(expression);
            boolean transformed = indexed != null && indexed.transform != null;
            expressions.add(transformed ? new Alike(expression, indexed) : expression);
            transforms |= transformed;
        }
        return transforms ? new TransformedFilter(expressions, filter.needsReconciliation()) : filter;
    }

    @Override
    protected RowFilter withNewExpressions(List<Expression> expressions)
    {
        return new TransformedFilter(expressions, needsReconciliation());
    }

    /** =, CONTAINS or CONTAINS KEY of a transformed text. */
    private static final class Alike extends Expression
    {
        private final Expression asked;
        private final IndexedColumn indexed;
        /** What is asked for, transformed; null for bytes that are no text. */
        private final ByteBuffer wanted;

        private Alike(Expression asked, IndexedColumn indexed)
        {
            super(asked.column(), asked.operator(), asked.getIndexValue());
            this.asked = asked;
            this.indexed = indexed;
            this.wanted = indexed.transform.apply(asked.getIndexValue());
        }

        @Override
        protected Kind kind()
        {
            return Kind.SIMPLE;
        }

        @Override
        public boolean isSatisfiedBy(TableMetadata metadata, DecoratedKey key, Row row, long nowInSec)
        {
            return column.isComplex() ? isInCollection(row.getComplexColumnData(column), nowInSec)
                                      : isAlike(row.getCell(column), nowInSec);
        }

        /** What Cassandra calls up to 5.0.2. */
        public boolean isSatisfiedBy(TableMetadata metadata, DecoratedKey key, Row row)
        {
            return isSatisfiedBy(metadata, key, row, FBUtilities.nowInSeconds());
        }

        private boolean isInCollection(ComplexColumnData data, long nowInSec)
        {
            if (data != null)
                for (Cell<?> cell : data)
                    if (isAlike(cell, nowInSec))
                        return true;
            return false;
        }

        private boolean isAlike(Cell<?> cell, long nowInSec)
        {
            return wanted != null && cell != null && cell.isLive(nowInSec) && wanted.equals(indexed.transform.apply(indexed.textOf(cell)));
        }

        @Override
        protected String toString(boolean cql)
        {
            return cql ? asked.toCQLString() : asked.toString();
        }
    }
}
