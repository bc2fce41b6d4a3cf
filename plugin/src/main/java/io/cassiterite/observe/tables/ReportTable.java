/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.virtual.AbstractVirtualTable;
import org.apache.cassandra.db.virtual.SimpleDataSet;
import org.apache.cassandra.exceptions.InvalidRequestException;

import io.cassiterite.node.StoreReport;

/** One report of the engine as a read-only virtual table, read from the engine by every query. */
final class ReportTable extends AbstractVirtualTable
{
    private final ReportSchema schema;
    private final Supplier<StoreReport> report;

    ReportTable(String keyspace, String comment, ReportSchema schema, Supplier<StoreReport> report)
    {
        super(schema.table(keyspace, comment));
        this.schema = schema;
        this.report = report;
    }

    @Override
    public DataSet data()
    {
        SimpleDataSet result = new SimpleDataSet(metadata());
        List<String> keys = schema.keys();
        for (Map<String, String> row : rows())
        {
            result.row(keys.stream().map(key -> value(key, row)).toArray());
            for (String figure : schema.figures())
                result.column(figure, value(figure, row));
        }
        return result;
    }

    private List<Map<String, String>> rows()
    {
        try
        {
            return report.get().rows;
        }
        catch (RuntimeException e)
        {
            throw new InvalidRequestException("Cassiterite cannot report: " + e.getMessage(), e);
        }
    }

    private Object value(String column, Map<String, String> row)
    {
        String text = row.get(column);
        AbstractType<?> type = schema.type(column);
        if (text == null || (text.isEmpty() && !schema.keys().contains(column)))
            return null;
        return type.compose(type.fromString(text));
    }
}
