/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The steps of a round that write. One thread. */
final class WriteSteps
{
    private static final int BURST_MAX = 24;
    private static final long MILLIS_OF_SECOND = 1_000;

    private final Exchanges exchanges;
    private final Workloads workloads;
    private final Random random;
    private final OddRequests odd;

    WriteSteps(Exchanges exchanges, Workloads workloads, Random random)
    {
        this.exchanges = exchanges;
        this.workloads = workloads;
        this.random = random;
        odd = new OddRequests(random);
    }

    /** Writes that change nothing when they are repeated go to both sides; others to one of them. */
    void burst()
    {
        TwinConnection twin = exchanges.anyTwin();
        List<Request> requests = new ArrayList<>();
        for (int i = 1 + random.nextInt(BURST_MAX); i > 0; i--)
        {
            Statement write = workloads.any().write();
            if (!write.repeatable)
                once(write);
            else if (workloads.isPrepared(write, twin))
                requests.add(execution(write, twin));
        }
        if (!requests.isEmpty())
            exchanges.compare(List.of(twin.exchange(requests, random)));
    }

    private Request execution(Statement write, TwinConnection twin)
    {
        int version = twin.setup.version;
        return Requests.execute(write, options(write, version), version).then(envelope -> forget(write, new Answer(envelope)));
    }

    private static void forget(Statement write, Answer answer)
    {
        if (answer.isError(Answer.UNPREPARED))
            write.id = null;
    }

    private Options options(Statement write, int version)
    {
        Options options = new Options();
        options.values.addAll(write.draw(random));
        // Counters take none.
        options.timestamp = write.repeatable ? Timestamps.micros(random) : null;
        if (version >= 5 && random.nextInt(5) == 0)
            options.nowSeconds = (int) (System.currentTimeMillis() / MILLIS_OF_SECOND) - random.nextInt(5);
        return options;
    }

    void once(Statement write)
    {
        TwinConnection twin = exchanges.anyTwin();
        if (workloads.isPrepared(write, twin))
        {
            Options options = options(write, twin.setup.version);
            forget(write, new Answer(exchanges.call(twin, Requests.execute(write, options, twin.setup.version))));
        }
    }

    /** Once on one side: then it is settled, and both sides say the same of it. */
    void transaction()
    {
        TwinConnection twin = exchanges.anyTwin();
        Statement conditional = workloads.any().conditional();
        if (conditional == null || !workloads.isPrepared(conditional, twin))
            return;
        Options options = new Options();
        options.values.addAll(conditional.draw(random));
        Request request = Requests.execute(conditional, options, twin.setup.version);
        Answer first = new Answer(exchanges.call(twin, request));
        forget(conditional, first);
        if (!first.isTransient())
            exchanges.compareAlone(twin, request);
    }

    void batch()
    {
        TwinConnection twin = exchanges.anyTwin();
        int version = twin.setup.version;
        List<Statement> writes = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--)
        {
            Statement write = workloads.any().write();
            if (write.repeatable)
                writes.add(write);
        }
        int type = random.nextInt(5) > 0 ? random.nextInt(2) : random.nextInt(4);
        Options options = new Options();
        options.timestamp = Timestamps.micros(random);
        exchanges.compareAlone(twin, Requests.batch(type, writes, options, version, random));
    }

    void oddRequest()
    {
        TwinConnection twin = exchanges.anyTwin();
        int version = twin.setup.version;
        Statement write = workloads.any().write();
        if (write.repeatable && workloads.isPrepared(write, twin))
            exchanges.compareAlone(twin, odd.next(write, options(write, version), workloads.any().select(), version));
    }
}
