/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The rules by which answers of an index oracle's sides are compared. The rows are those of the table without indexes,
 * page by page, in the same order. What may be refused is what stock's indexes refuse. One thread.
 */
final class IndexComparison
{
    private final IndexTally tally;
    private boolean oddValues;

    IndexComparison(IndexTally tally)
    {
        this.tally = tally;
    }

    /** To be told of a table that may hold odd values: {@link OddValues}. */
    void oddValues()
    {
        oddValues = true;
    }

    /** @return a description of the first difference of a statement that all sides must answer alike, or null */
    String ofAll(Step step, Map<Side, Answer> answers)
    {
        Side reference = answers.containsKey(Side.LEGACY) ? Side.LEGACY : answers.keySet().iterator().next();
        Answer first = answers.get(reference);
        if (StockIndexFlaws.isUnsupported(step, reference, first))
            return null;
        for (Map.Entry<Side, Answer> entry : answers.entrySet())
        {
            String difference = ofStatement(step, first, entry.getValue());
            if (difference != null && !StockIndexFlaws.isUnsupported(step, entry.getKey(), entry.getValue()))
                return entry.getKey() + " differs from " + reference + ": " + difference;
        }
        return null;
    }

    /** The engine warns of its own class of indexes. */
    private static String ofStatement(Step step, Answer first, Answer answer)
    {
        if (step.kind.equals("create index") && first.error == null && answer.error == null)
            return null;
        return Comparison.difference(first, answer);
    }

    /**
     * @param bare      what a table without indexes answers to the query as it is, without ALLOW FILTERING added
     * @param saiHasAll whether SAI has all indexes of the others
     * @param whole     whether a side is right when asked for all rows in one page
     * @return a description of the first difference of a query, or null
     */
    String ofQuery(Step step, Map<Side, Answer> answers, Answer bare, boolean saiHasAll, Predicate<Side> whole)
    {
        Answer right = answers.get(Side.FILTER);
        tally.query(right.error == null && right.rowCount() > 0);
        for (Side side : answers.keySet())
        {
            if (!side.hasIndexes())
                continue;
            Answer answer = answers.get(side);
            String difference = difference(step, side, right, bare, answer);
            if (side == Side.ENGINE && isRefusedBySai(answer, answers))
                continue;
            if (difference == null && side == Side.ENGINE && answer.error != null && right.error == null)
                difference = needlessRefusal(step, answers, saiHasAll);
            if (difference == null)
                continue;
            String flaw = StockIndexFlaws.of(step, side, oddValues, answer);
            if (flaw == null && side == Side.SAI && answer.error == null && whole.test(side))
                flaw = StockIndexFlaws.SHORT_PAGES;
            if (flaw == null && side.isStock() && answers.containsKey(Side.ENGINE))
                flaw = side == Side.SAI ? StockIndexFlaws.OTHERS_OF_SAI : StockIndexFlaws.OTHERS_OF_LEGACY;
            if (flaw == null)
                return side + ": " + difference;
            tally.flaw(flaw);
        }
        return null;
    }

    /** Which of two restricted columns an error names depends on the indexes, and SAI has ranges as the engine does. */
    private static boolean isRefusedBySai(Answer answer, Map<Side, Answer> answers)
    {
        String ofSai = answers.get(Side.SAI).error;
        return answer.error != null && ofSai != null && Comparison.words(ofSai).equals(Comparison.words(answer.error));
    }

    private String difference(Step step, Side side, Answer right, Answer bare, Answer answer)
    {
        if (answer.error != null)
        {
            tally.refused(side, summary(answer.error));
            if (right.error != null)
                return kind(right.error).equals(kind(answer.error)) ? null : "errors are of different kinds";
            boolean asWithout = Comparison.words(answer.error).equals(Comparison.words(bare.error));
            return asWithout || StockIndexFlaws.mayRefuse(step, answer.error) ? null : "it refuses what a table without indexes answers";
        }
        tally.answered(side);
        return right.error != null ? "it answers what a table without indexes refuses" : rows(right, answer);
    }

    static String rows(Answer right, Answer answer)
    {
        if (!right.columns.equals(answer.columns) || !right.types.equals(answer.types))
            return "columns differ";
        List<byte[][]> expected = allRows(right);
        List<byte[][]> found = allRows(answer);
        for (int i = 0; i < Math.min(expected.size(), found.size()); i++)
            if (!Arrays.deepEquals(expected.get(i), found.get(i)))
                return "row " + i + " differs";
        if (expected.size() != found.size())
            return "row counts differ: " + expected.size() + " / " + found.size();
        return null;
    }

    private static List<byte[][]> allRows(Answer answer)
    {
        return answer.pages.stream().flatMap(page -> page.rows.stream()).collect(Collectors.toList());
    }

    /** The engine serves ranges of all types: legacy indexes serve none, and SAI not those of tuples. */
    private static String needlessRefusal(Step step, Map<Side, Answer> answers, boolean saiHasAll)
    {
        Answer legacy = answers.get(Side.LEGACY);
        Answer sai = answers.get(Side.SAI);
        String refusal = answers.get(Side.ENGINE).error;
        if (StockIndexFlaws.isOfServedRange(step, refusal))
            return null;
        boolean stockAnswers = (legacy != null && legacy.error == null) || (saiHasAll && sai.error == null);
        return stockAnswers ? "it refuses what a stock index answers" : null;
    }

    private static String kind(String error)
    {
        return error.split(":")[0];
    }

    /** @return the beginning of a message, without names and values */
    private static String summary(String error)
    {
        String text = error.replaceAll("\\b[pcsvk]\\d+\\b", "COLUMN").replaceAll("\\s+", " ");
        return text.substring(0, Math.min(110, text.length()));
    }
}
