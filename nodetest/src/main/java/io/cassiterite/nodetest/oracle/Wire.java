/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.ReadFailureException;

/** Runs one statement and records its whole answer, page by page, as raw bytes. Stateless. */
final class Wire
{
    /** Tables are small: more pages than this mean that paging does not end. */
    private static final int PAGES_MAX = 20_000;
    /** A machine that has other work changes the schema slowly. */
    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final Set<String> UNREACHABLE = Set.of("AllNodesFailedException", "NoNodeAvailableException",
                                                          "DriverTimeoutException", "ReadTimeoutException", "WriteTimeoutException",
                                                          "ClosedConnectionException", "HeartbeatException", "UnavailableException");

    /** A value of {@link #execute} that the client leaves unset. */
    static final ByteBuffer UNSET = ByteBuffer.wrap("unset".getBytes(StandardCharsets.US_ASCII)).asReadOnlyBuffer();

    private Wire()
    {
    }

    /**
     * @param stampMicros the client's timestamp, {@link Step#SERVER_STAMP} for none
     * @param nowSeconds  the time at which the statement is to be evaluated
     * @param names       removed from messages, so that they can be compared
     */
    static Answer run(CqlSession session, String cql, List<Step.Bind> binds, long stampMicros, int pageSize, int nowSeconds,
            String... names)
    {
        return begin(session, cql, binds, stampMicros, pageSize, nowSeconds, names).join();
    }

    /** Sends a statement, and does not wait for its answer; see {@link #run}. The answer comes on a thread of the driver. */
    static CompletableFuture<Answer> begin(CqlSession session, String cql, List<Step.Bind> binds, long stampMicros, int pageSize,
            int nowSeconds, String... names)
    {
        CompletionStage<? extends Statement<?>> statement =
            binds.isEmpty() ? CompletableFuture.completedFuture(SimpleStatement.newInstance(cql))
                            : session.prepareAsync(cql).thenApply(prepared -> bound(prepared, binds));
        return pages(session, statement, stampMicros, pageSize, nowSeconds, names);
    }

    /** Prepares a statement and executes it, see {@link #begin}. */
    static CompletableFuture<Answer> execute(CqlSession session, String cql, List<ByteBuffer> values, long stampMicros, int pageSize,
            int nowSeconds, String... names)
    {
        CompletionStage<? extends Statement<?>> statement = session.prepareAsync(cql).thenApply(prepared -> withValues(prepared, values));
        return pages(session, statement, stampMicros, pageSize, nowSeconds, names);
    }

    private static CompletableFuture<Answer> pages(CqlSession session, CompletionStage<? extends Statement<?>> of, long stampMicros,
            int pageSize, int nowSeconds, String... names)
    {
        Answer answer = new Answer();
        return of.thenCompose(statement ->
        {
            Statement<?> asked = statement.setPageSize(pageSize).setNowInSeconds(nowSeconds).setTimeout(BOUND);
            if (stampMicros != Step.SERVER_STAMP)
                asked = asked.setQueryTimestamp(stampMicros);
            CompletableFuture<Answer> whole = new CompletableFuture<>();
            page(session, asked, answer, whole, names);
            return whole;
        }).exceptionally(error ->
        {
            fail(answer, cause(error), names);
            return answer;
        }).toCompletableFuture();
    }

    /** Asks for one page, and when it is there for the next; completes {@code whole} with the last. */
    private static void page(CqlSession session, Statement<?> statement, Answer answer, CompletableFuture<Answer> whole, String... names)
    {
        session.executeAsync(statement).whenComplete((result, error) ->
        {
            try
            {
                if (error != null)
                    throw error;
                Answer.Page page = page(answer, result, names);
                if (answer.pages.size() > PAGES_MAX)
                    throw new IllegalStateException("paging does not end");
                if (page.pagingState == null)
                    whole.complete(answer);
                else
                    page(session, statement.setPagingState(ByteBuffer.wrap(page.pagingState)), answer, whole, names);
            }
            catch (Throwable e)
            {
                whole.completeExceptionally(e);
            }
        });
    }

    private static Throwable cause(Throwable error)
    {
        return error instanceof CompletionException && error.getCause() != null ? cause(error.getCause()) : error;
    }

    private static Statement<?> bound(PreparedStatement prepared, List<Step.Bind> binds)
    {
        BoundStatementBuilder builder = prepared.boundStatementBuilder();
        for (int i = 0; i < binds.size(); i++)
        {
            if (binds.get(i) == Step.Bind.NULL)
                builder = builder.setToNull(i);
            else if (binds.get(i) == Step.Bind.EMPTY)
                builder = builder.setBytesUnsafe(i, ByteBuffer.allocate(0));
        }
        return builder.build();
    }

    private static Statement<?> withValues(PreparedStatement prepared, List<ByteBuffer> values)
    {
        BoundStatementBuilder builder = prepared.boundStatementBuilder();
        for (int i = 0; i < values.size(); i++)
            if (values.get(i) != UNSET)
                builder = builder.setBytesUnsafe(i, values.get(i));
        return builder.build();
    }

    private static Answer.Page page(Answer answer, AsyncResultSet result, String... names)
    {
        if (answer.pages.isEmpty())
            for (ColumnDefinition column : result.getColumnDefinitions())
            {
                answer.columns.add(column.getName().asInternal());
                answer.types.add(column.getType().asCql(true, true));
            }
        Answer.Page page = new Answer.Page();
        for (Row row : result.currentPage())
        {
            byte[][] values = new byte[answer.columns.size()][];
            for (int i = 0; i < values.length; i++)
                values[i] = bytes(row.getBytesUnsafe(i));
            page.rows.add(values);
        }
        page.pagingState = bytes(result.getExecutionInfo().getPagingState());
        for (String warning : result.getExecutionInfo().getWarnings())
            answer.warnings.add(withoutNames(warning, names));
        answer.pages.add(page);
        return page;
    }

    static byte[] bytes(ByteBuffer buffer)
    {
        if (buffer == null)
            return null;
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static void fail(Answer answer, Throwable error, String... names)
    {
        answer.error = error.getClass().getSimpleName() + ": " + withoutNames(String.valueOf(error.getMessage()), names);
        if (error instanceof ReadFailureException)
            answer.error += " " + ((ReadFailureException) error).getReasonMap().values();
        answer.unreachable = UNREACHABLE.contains(error.getClass().getSimpleName());
    }

    private static String withoutNames(String text, String... names)
    {
        for (String name : names)
            text = text.replace(name, "T");
        return text.replaceAll("[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}(?=\\W*$)", "ID");
    }
}
