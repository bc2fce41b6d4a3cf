/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/** Executions of SELECT statements as drivers make them: values, consistency, pages. One thread. */
final class Reads
{
    private static final int[] PAGE_SIZES = { 1, 2, 3, 5, 7, 20, 100, 5000, 5000 };
    private static final int[] CONSISTENCIES = { 1, 1, 1, 1, 1, 10, 10, 10, 4, 6, 5 };
    /** Of some of these a node alone cannot serve a read, or no read at all. */
    private static final int CONSISTENCY_CODES = 12;
    private static final int SERIAL = 8;
    private static final int LOCAL_SERIAL = 9;
    private static final int PAGES_KEPT = 40;

    /** What asks for a next page. */
    private static final class Continued
    {
        final Statement statement;
        final Options options;
        /** Versions 4 and 5 have one form of paging state. */
        final boolean version3;

        Continued(Statement statement, Options options, boolean version3)
        {
            this.statement = statement;
            this.options = options;
            this.version3 = version3;
        }
    }

    private final Random random;
    private final Deque<Continued> begun = new ArrayDeque<>();

    Reads(Random random)
    {
        this.random = random;
    }

    /** @return options of a read that a driver could make, with values that the statement takes */
    Options options(Statement statement, int version)
    {
        Options options = new Options();
        options.values.addAll(statement.draw(random));
        int[] consistencies = Replicas.consistencies(CONSISTENCIES);
        options.consistency = random.nextInt(60) == 0 ? random.nextInt(CONSISTENCY_CODES)
                              : consistencies[random.nextInt(consistencies.length)];
        options.skipMetadata = random.nextBoolean();
        if (random.nextInt(4) > 0)
            options.pageSize = PAGE_SIZES[random.nextInt(PAGE_SIZES.length)];
        if (version >= 5 && random.nextInt(3) == 0)
            options.nowSeconds = now();
        return options;
    }

    /** Around the clock, where rows expire; now and then far off. */
    private int now()
    {
        if (random.nextInt(20) == 0)
            return random.nextInt();
        return (int) (System.currentTimeMillis() / 1_000) - 5 + random.nextInt(12);
    }

    /** @return the next page of a read that was begun before, perhaps on the other side; null if there is none */
    Request continued(int version)
    {
        Continued next = begun.poll();
        if (next == null || next.statement.id == null)
            return null;
        // Cassandra never answers a request with a state of the other form: an assertion fails after the read.
        if (next.version3 != (version < 4))
            return null;
        return execute(next.statement, next.options, version);
    }

    Request execute(Statement statement, Options options, int version)
    {
        Request request = Requests.execute(statement, options, version);
        request.alone = statement.unqualified || options.consistency == SERIAL || options.consistency == LOCAL_SERIAL;
        Options next = options.copy();
        if (random.nextInt(6) == 0)
            next.pageSize = PAGE_SIZES[random.nextInt(PAGE_SIZES.length)];
        return request.then(envelope -> answered(statement, next, version, new Answer(envelope)));
    }

    private void answered(Statement statement, Options next, int version, Answer answer)
    {
        if (answer.isError(Answer.UNPREPARED))
            statement.id = null;
        byte[] state = answer.pagingState();
        if (state == null || begun.size() > PAGES_KEPT)
            return;
        next.pagingState = state;
        begun.add(new Continued(statement, next, version < 4));
    }

    /** Forgets what was begun. */
    void clear()
    {
        begun.clear();
    }
}
