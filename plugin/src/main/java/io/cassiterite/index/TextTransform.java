/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.nio.ByteBuffer;
import java.util.Map;

import org.apache.cassandra.cql3.CqlBuilder;
import org.apache.cassandra.cql3.statements.schema.IndexTarget;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.index.sai.StorageAttachedIndex;
import org.apache.cassandra.index.sai.analyzer.AbstractAnalyzer;
import org.apache.cassandra.index.sai.utils.IndexTermType;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

/**
 * What an index makes of a text before it keeps or compares it: the options {@code case_sensitive}, {@code normalize} and
 * {@code ascii} of SAI, by SAI's own code. Immutable and thread-safe.
 */
final class TextTransform
{
    private final ThreadLocal<AbstractAnalyzer> analyzers;

    private TextTransform(AbstractAnalyzer.AnalyzerFactory factory)
    {
        this.analyzers = ThreadLocal.withInitial(factory::create);
    }

    /**
     * @param options those of the index; others than the three are ignored
     * @return null if values stay as they are
     * @throws InvalidRequestException if SAI refuses these options for this target
     */
    static TextTransform of(TableMetadata table, ColumnMetadata column, IndexTarget.Type type, Map<String, String> options)
    {
        Map<String, String> asked = AbstractAnalyzer.getAnalyzerOptions(options);
        if (asked.isEmpty())
            return null;
        if (column.isPrimaryKeyColumn())
            throw new InvalidRequestException(StorageAttachedIndex.ANALYSIS_ON_KEY_COLUMNS_MESSAGE + new CqlBuilder().append(asked));
        IndexTermType values = IndexTermType.create(column, table.partitionKeyColumns(), type);
        AbstractAnalyzer.AnalyzerFactory factory = AbstractAnalyzer.fromOptions(values, asked);
        return factory.create().transformValue() ? new TextTransform(factory) : null;
    }

    /** @return null for bytes that are no text */
    ByteBuffer apply(ByteBuffer text)
    {
        AbstractAnalyzer analyzer = analyzers.get();
        analyzer.reset(text.duplicate());
        return analyzer.hasNext() ? analyzer.next() : null;
    }
}
