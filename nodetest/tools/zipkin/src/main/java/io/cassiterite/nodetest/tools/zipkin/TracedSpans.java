/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.zipkin;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import zipkin2.DependencyLink;
import zipkin2.Endpoint;
import zipkin2.Span;
import zipkin2.codec.SpanBytesEncoder;
import zipkin2.storage.QueryRequest;
import zipkin2.storage.cassandra.CassandraStorage;

/**
 * Zipkin's storage as its server uses it: TracedSpans HOST PORT KEYSPACE MILLIS SEARCH. MILLIS is the time of the newest spans: Zipkin's
 * index has a bucket for each day before now. Prints what each question gave.
 */
public final class TracedSpans
{
    private static final int TRACES = 60;
    private static final int INDEXED_WITHIN_MILLIS = 60_000;
    private static final long LOOKBACK_MILLIS = 86_400_000L;

    private final CassandraStorage storage;
    private final long millis;

    private TracedSpans(CassandraStorage storage, long millis)
    {
        this.storage = storage;
        this.millis = millis;
    }

    public static void main(String[] arguments) throws Exception
    {
        boolean isSearched = Boolean.parseBoolean(arguments[4]);
        CassandraStorage.Builder builder = CassandraStorage.newBuilder();
        builder.keyspace(arguments[2]).ensureSchema(true);
        builder.contactPoints(arguments[0] + ":" + arguments[1]).localDc("datacenter1").searchEnabled(isSearched)
               .autocompleteKeys(List.of("environment"));
        try (CassandraStorage storage = builder.build())
        {
            TracedSpans spans = new TracedSpans(storage, Long.parseLong(arguments[3]));
            spans.store();
            spans.traces();
            if (isSearched)
                spans.search();
        }
    }

    private static Endpoint service(int i)
    {
        return Endpoint.newBuilder().serviceName("service-" + i % 5).port(8000 + i % 5)
                       .ip(i % 2 == 0 ? "10.0.0." + (i % 5 + 1) : "2001:db8::1").build();
    }

    private List<Span> trace(int trace)
    {
        List<Span> spans = new ArrayList<>();
        long begin = (millis - trace * 1000L) * 1000;
        for (int i = 0; i < 4; i++)
        {
            Span.Builder span = Span.newBuilder().traceId(String.format("%032x", 0x1000 + trace)).id(i + 1L).name("get /" + (trace + i) % 3)
                                    .kind(i % 2 == 0 ? Span.Kind.CLIENT : Span.Kind.SERVER).timestamp(begin + i)
                                    .duration(100_000L * (trace + 1) + i).localEndpoint(service(trace + i))
                                    .putTag("http.path", "/api/" + trace % 4)
                                    .putTag("environment", "env-" + trace % 3).addAnnotation(begin + i + 2, "wire send");
            if (i > 0)
                span.parentId(i);
            if (i % 2 == 0)
                span.remoteEndpoint(service(trace + i + 1));
            if (trace % 10 == 0)
                span.putTag("error", "broken");
            spans.add(span.build());
        }
        return spans;
    }

    private void store() throws Exception
    {
        for (int i = 0; i < TRACES; i++)
            storage.spanConsumer().accept(trace(i)).execute();
    }

    private void traces() throws Exception
    {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < TRACES; i++)
        {
            List<Span> spans = storage.traces().getTrace(String.format("%032x", 0x1000 + i)).execute();
            print("trace", spans.stream().map(TracedSpans::json).sorted().toList());
            if (i % 7 == 0)
                ids.add(String.format("%032x", 0x1000 + i));
        }
        print("several", storage.traces().getTraces(ids).execute().stream().map(spans -> spans.get(0).traceId()).sorted().toList());
        print("none", storage.traces().getTrace("ffff").execute());
        List<DependencyLink> links = storage.spanStore().getDependencies(millis, LOOKBACK_MILLIS).execute();
        print("dependencies", links.stream().map(DependencyLink::toString).sorted().toList());
    }

    private void search() throws Exception
    {
        print("services", storage.serviceAndSpanNames().getServiceNames().execute());
        for (int i = 0; i < 5; i++)
        {
            print("spans", storage.serviceAndSpanNames().getSpanNames("service-" + i).execute());
            print("remote", storage.serviceAndSpanNames().getRemoteServiceNames("service-" + i).execute());
        }
        print("keys", storage.autocompleteTags().getKeys().execute());
        print("environments", storage.autocompleteTags().getValues("environment").execute().stream().sorted().toList());
        find("by service", request().serviceName("service-1"));
        find("by span", request().serviceName("service-2").spanName("get /1"));
        find("by remote service", request().serviceName("service-3").remoteServiceName("service-4"));
        find("by duration", request().serviceName("service-1").minDuration(2_000_000L).maxDuration(3_000_000L));
        find("by tag", request().serviceName("service-1").parseAnnotationQuery("http.path=/api/2"));
        find("by tag alone", request().parseAnnotationQuery("environment=env-1"));
        find("by error", request().parseAnnotationQuery("error"));
        find("by time", request().lookback(20_000L));
        find("all", request());
    }

    private QueryRequest.Builder request()
    {
        return QueryRequest.newBuilder().endTs(millis + INDEXED_WITHIN_MILLIS).lookback(LOOKBACK_MILLIS).limit(1000);
    }

    private void find(String step, QueryRequest.Builder request) throws Exception
    {
        List<List<Span>> found = storage.spanStore().getTraces(request.build()).execute();
        print(step, found.stream().sorted(Comparator.comparing(spans -> spans.get(0).traceId()))
                         .map(spans -> spans.get(0).traceId() + " " + spans.size()).toList());
    }

    private static String json(Span span)
    {
        return new String(SpanBytesEncoder.JSON_V2.encode(span), StandardCharsets.UTF_8);
    }

    private static void print(String step, Object result)
    {
        System.out.println("> " + step + ": " + result);
    }
}
