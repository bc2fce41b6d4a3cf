/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

/** Where stock's indexes differ from a filter over the whole table, and why that is no finding. Stateless. */
final class StockIndexFlaws
{
    /** The kind of query that restricts an inet column by a range. */
    static final String INET_RANGE = "index range of inet";

    private StockIndexFlaws()
    {
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
        if (error.contains("use ALLOW FILTERING"))
            return !step.cql.endsWith(" ALLOW FILTERING");
        return error.contains("ORDER BY with 2ndary indexes is not supported")
               || error.contains("Select on indexed columns and with IN clause for the PRIMARY KEY are not supported");
    }

    /**
     * @param emptyValues whether the table may hold empty values
     * @return the name of a known flaw that explains the difference, or null
     */
    static String of(Step step, Side side, boolean emptyValues, Answer answer)
    {
        if (side == Side.SAI && answer.error == null && emptyValues)
            return "SAI does not find empty values";
        if (side == Side.SAI && answer.error == null && step.kind.equals(INET_RANGE))
            return "SAI orders addresses of IP 4 as those of IP 6";
        return null;
    }
}
