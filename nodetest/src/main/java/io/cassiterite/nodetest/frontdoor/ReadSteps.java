/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.cassiterite.nodetest.frontdoor.TwinConnection.Exchange;

/** The steps of a round that read. One thread. */
final class ReadSteps
{
    private static final int BURST_MAX = 24;
    private static final int TWINS_MAX = 3;

    private final Exchanges exchanges;
    private final List<TwinConnection> twins;
    private final Workloads workloads;
    private final Random random;
    private final Reads reads;
    private final OddRequests odd;

    ReadSteps(Exchanges exchanges, List<TwinConnection> twins, Workloads workloads, Random random)
    {
        this.exchanges = exchanges;
        this.twins = twins;
        this.workloads = workloads;
        this.random = random;
        reads = new Reads(random);
        odd = new OddRequests(random);
    }

    /** Many reads at once, on several connections. */
    void burst()
    {
        List<TwinConnection> some = new ArrayList<>(twins);
        Collections.shuffle(some, random);
        List<Exchange> together = new ArrayList<>();
        for (TwinConnection twin : some.subList(0, 1 + random.nextInt(TWINS_MAX)))
        {
            List<Request> requests = new ArrayList<>();
            for (int i = 1 + random.nextInt(BURST_MAX); i > 0; i--)
            {
                Request request = next(twin);
                if (request != null && request.alone)
                    exchanges.compareAlone(twin, request);
                else if (request != null)
                    requests.add(request);
            }
            if (!requests.isEmpty())
                together.add(twin.exchange(requests, random));
        }
        exchanges.compare(together);
    }

    /** @return null if the statement cannot be executed */
    private Request next(TwinConnection twin)
    {
        int version = twin.setup.version;
        Request page = random.nextInt(5) == 0 ? reads.continued(version) : null;
        if (page != null)
            return page;
        if (random.nextInt(200) == 0)
            return Requests.options();
        Statement select = workloads.any().select();
        if (!workloads.isPrepared(select, twin))
            return null;
        return reads.execute(select, reads.options(select, version), version);
    }

    /** A SELECT that is not prepared. */
    void query()
    {
        TwinConnection twin = exchanges.anyTwin();
        Statement select = workloads.any().select();
        Options options = reads.options(select, twin.setup.version);
        exchanges.compareAlone(twin, Requests.query(select.cql(), options, twin.setup.version));
    }

    void oddRequest()
    {
        TwinConnection twin = exchanges.anyTwin();
        Statement select = workloads.any().select();
        int version = twin.setup.version;
        if (workloads.isPrepared(select, twin))
            exchanges.compareAlone(twin, odd.next(select, reads.options(select, version), workloads.any().select(), version));
    }
}
