/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.dht.LocalPartitioner;
import org.apache.cassandra.schema.TableMetadata;

/**
 * The virtual table that shows a report, derived from the names of the report's columns: the leading columns called
 * {@code level}, {@code ...name} or {@code ..._id} are the primary key, the first of them the partition key. {@code ...ratio} is a
 * double, {@code ...name}, {@code ..._id}, {@code value}, {@code ...text} and some that tell of moves are text, everything else is a
 * bigint; in the report {@code settings} everything is text.
 */
final class ReportSchema
{
    private static final String SETTINGS = "settings";

    private final String topic;
    private final List<String> columns;

    ReportSchema(String topic, List<String> columns)
    {
        this.topic = topic;
        this.columns = columns;
        if (columns.isEmpty() || !isKey(columns.get(0)))
            throw new IllegalArgumentException("the report '" + topic + "' has no key column: " + columns);
    }

    List<String> keys()
    {
        List<String> keys = new ArrayList<>();
        for (String column : columns)
        {
            if (!isKey(column))
                break;
            keys.add(column);
        }
        return keys;
    }

    List<String> figures()
    {
        return columns.subList(keys().size(), columns.size());
    }

    AbstractType<?> type(String column)
    {
        if (column.equals("level"))
            return Int32Type.instance;
        if (topic.equals(SETTINGS) || isKey(column) || column.equals("value") || column.equals("direction")
            || column.equals("waits_for") || column.equals("last_error") || column.endsWith("text"))
            return UTF8Type.instance;
        return column.endsWith("ratio") ? DoubleType.instance : LongType.instance;
    }

    TableMetadata table(String keyspace, String comment)
    {
        List<String> keys = keys();
        AbstractType<?> partition = type(keys.get(0));
        TableMetadata.Builder builder = TableMetadata.builder(keyspace, topic)
                                                     .comment(comment)
                                                     .kind(TableMetadata.Kind.VIRTUAL)
                                                     .partitioner(new LocalPartitioner(partition))
                                                     .addPartitionKeyColumn(keys.get(0), partition);
        for (String clustering : keys.subList(1, keys.size()))
            builder.addClusteringColumn(clustering, type(clustering));
        for (String figure : figures())
            builder.addRegularColumn(figure, type(figure));
        return builder.build();
    }

    private static boolean isKey(String column)
    {
        return column.equals("level") || column.endsWith("name") || column.endsWith("_id");
    }
}
