/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.cql3.CQLFragmentParser;
import org.apache.cassandra.cql3.CqlParser;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Types;

import io.cassiterite.engine.TableSchema;

/**
 * Compares the key of a table with that of a backup, by its manifest or by the {@code schema.cql} that Cassandra writes. Rows under
 * another key would make the table unreadable.
 */
final class KeyComparison
{
    static final String SAME = "same";
    static final String UNKNOWN = "unknown";

    private static final Logger logger = LoggerFactory.getLogger(KeyComparison.class);

    private static final String CREATE_TABLE = "CREATE TABLE ";

    private KeyComparison()
    {
    }

    /**
     * @param schema the file, which may be missing
     * @param types  of the table's keyspace
     * @return {@link #SAME}, {@link #UNKNOWN} where the file does not tell, or the difference
     */
    static String of(Path schema, TableMetadata table, Types types)
    {
        String written;
        try
        {
            String statement = createTable(Files.readString(schema));
            if (statement == null)
                return UNKNOWN;
            written = TableSchema.key(CQLFragmentParser.parseAny(CqlParser::createTableStatement, statement, CREATE_TABLE)
                                                       .keyspace(table.keyspace).prepare(null).builder(types).build());
        }
        catch (IOException | RuntimeException e)
        {
            logger.info("{} does not tell the key of {}", schema, table, e);
            return UNKNOWN;
        }
        return of(written, table);
    }

    /** @param written as {@link TableSchema#key} tells it */
    static String of(String written, TableMetadata table)
    {
        String here = TableSchema.key(table);
        return written.equals(here) ? SAME : "the backup's key is " + written + ", the table's is " + here;
    }

    /** @return the statement, without what comes before and behind it; null if there is none */
    static String createTable(String schema)
    {
        int start = schema.indexOf(CREATE_TABLE);
        if (start < 0)
            return null;
        char quote = 0;
        for (int i = start; i < schema.length(); i++)
        {
            char at = schema.charAt(i);
            if (quote == 0 && at == ';')
                return schema.substring(start, i + 1);
            if (quote == 0 && (at == '\'' || at == '"'))
                quote = at;
            else if (at == quote)
                quote = 0;
        }
        return null;
    }
}
