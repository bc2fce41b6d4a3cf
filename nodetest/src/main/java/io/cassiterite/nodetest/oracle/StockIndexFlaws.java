/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.regex.Pattern;

/** Where stock's indexes differ from a filter over the whole table, and why that is no finding. Stateless. */
final class StockIndexFlaws
{
    /** The kinds of query that restrict a column by a range: SAI orders some types otherwise. */
    static final String RANGE = "index range";
    private static final String RANGE_OF_INET = "index range of inet";

    static final String SHORT_PAGES = "SAI loses rows between short pages, or before a LIMIT";
    /** Where the engine is compared: SAI loses rows in more ways than are known, and must not end the run. */
    static final String OTHERS_OF_SAI = "SAI finds other rows";
    /** Likewise. */
    static final String OTHERS_OF_LEGACY = "a legacy index finds other rows";
    private static final Pattern STATIC_COLLECTION = Pattern.compile("(WHERE|AND) s\\d+(\\[| CONTAINS)");
    private static final Pattern STATIC_COLUMN = Pattern.compile("(WHERE|AND) s\\d+");
    private static final Pattern CLUSTERING_COLUMN = Pattern.compile("(WHERE|AND) \\(?[ck]\\d+");
    private static final Pattern SLICE = Pattern.compile("(WHERE|AND) (\\w+|\\([\\w, ]+\\)) [<>]");
    private static final Pattern KEY_COLUMN = Pattern.compile("(WHERE|AND) [pck]\\d+ =");

    private StockIndexFlaws()
    {
    }

    static String kindOfRange(ValueType type)
    {
        return type.cql().contains("inet") ? RANGE_OF_INET : RANGE;
    }

    /** @return whether SAI has no index of this type, as it says */
    static boolean isUnsupported(Step step, Side side, Answer answer)
    {
        return side == Side.SAI && step.kind.equals("create index") && answer.error != null
               && (answer.error.contains("Unsupported type") || answer.error.contains("single-dimension vectors"));
    }

    /** @return whether indexes may refuse a query with this error although a filter answers it */
    static boolean mayRefuse(Step step, String error)
    {
        return error.contains("use ALLOW FILTERING") ? !step.cql.endsWith(" ALLOW FILTERING") : isOfUsedIndex(error);
    }

    /** @return whether a query has this error since an index serves its range, where a stock index leaves it to the filter */
    static boolean isOfServedRange(Step step, String error)
    {
        return isOfUsedIndex(error) && SLICE.matcher(step.cql).find();
    }

    private static boolean isOfUsedIndex(String error)
    {
        return error.contains("ORDER BY with 2ndary indexes is not supported")
               || error.contains("Multi-column slice restrictions cannot be used for filtering")
               || error.contains("Select on indexed columns and with IN clause for the PRIMARY KEY are not supported");
    }

    /**
     * @param oddValues whether the table may hold odd values
     * @return the name of a known flaw that explains the difference, or null
     */
    static String of(Step step, Side side, boolean oddValues, Answer answer)
    {
        if (answer.error != null)
            return side == Side.SAI ? ofErrorOfSai(answer.error) : null;
        if (STATIC_COLLECTION.matcher(step.cql).find())
            return "a filter finds expired elements of static collections";
        if (!side.isStock())
            return null;
        if (side == Side.LEGACY)
            return ofLegacy(step.cql);
        if (oddValues)
            return "SAI does not find odd values";
        if (step.kind.equals(RANGE_OF_INET))
            return "SAI orders addresses of IP 4 as those of IP 6";
        return null;
    }

    private static String ofErrorOfSai(String error)
    {
        return error.startsWith("ReadFailureException") ? "SAI fails where it filters an address of IP 4 by one of IP 6" : null;
    }

    private static String ofLegacy(String cql)
    {
        if (STATIC_COLUMN.matcher(cql).find() && CLUSTERING_COLUMN.matcher(cql).find())
            return "a legacy index of a static column finds nothing where the clustering is restricted, too";
        return KEY_COLUMN.matcher(cql).find() ? "a legacy index of a key column loses rows whose newest cell expires" : null;
    }
}
