/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.apache.cassandra.cql3.statements.schema.IndexTarget;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.index.TargetParser;
import org.apache.cassandra.index.sai.analyzer.AbstractAnalyzer;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Pair;

/** The options of CREATE INDEX: those that transform texts. Stateless. */
final class IndexOptions
{
    private IndexOptions()
    {
    }

    /**
     * @param table has the new index already
     * @return the options that mean nothing here
     * @throws InvalidRequestException if the column cannot have the others
     */
    static Map<String, String> unknown(Map<String, String> options, TableMetadata table)
    {
        Map<String, String> unknown = new HashMap<>(options);
        String asked = unknown.remove(IndexTarget.TARGET_OPTION_NAME);
        unknown.keySet().removeAll(AbstractAnalyzer.getAnalyzerOptions(options).keySet());
        Pair<ColumnMetadata, IndexTarget.Type> target = asked == null ? null : TargetParser.parse(table, asked);
        if (target != null)
        {
            TextTransform.of(table, target.left, target.right, options);
            checkOthers(target, table);
        }
        return unknown;
    }

    /** Of two indexes that transform otherwise each would answer a query with other rows. */
    private static void checkOthers(Pair<ColumnMetadata, IndexTarget.Type> target, TableMetadata table)
    {
        Set<Map<String, String>> transforms = new HashSet<>();
        for (IndexMetadata index : table.indexes)
            if (EngineIndex.class.getName().equals(index.getIndexClassName()) && target.equals(TargetParser.parse(table, index)))
                transforms.add(AbstractAnalyzer.getAnalyzerOptions(index.options));
        if (transforms.size() > 1)
            throw new InvalidRequestException(String.format("%s of %s has an index with other options of case_sensitive, normalize and"
                                                            + " ascii: drop it first", target.left.name.toCQLString(), table));
    }
}
