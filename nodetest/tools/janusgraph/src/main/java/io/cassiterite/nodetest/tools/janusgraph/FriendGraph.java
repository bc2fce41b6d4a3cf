/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.janusgraph;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import org.apache.tinkerpop.gremlin.process.traversal.Order;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.__;
import org.apache.tinkerpop.gremlin.structure.Direction;
import org.apache.tinkerpop.gremlin.structure.Vertex;
import org.janusgraph.core.Cardinality;
import org.janusgraph.core.EdgeLabel;
import org.janusgraph.core.JanusGraph;
import org.janusgraph.core.JanusGraphFactory;
import org.janusgraph.core.JanusGraphTransaction;
import org.janusgraph.core.Multiplicity;
import org.janusgraph.core.PropertyKey;
import org.janusgraph.core.schema.ConsistencyModifier;
import org.janusgraph.core.schema.JanusGraphIndex;
import org.janusgraph.core.schema.JanusGraphManagement;

/** An application of JanusGraph: FriendGraph HOST PORT KEYSPACE. It prints what each step gave, the same for the same answers. */
public final class FriendGraph
{
    private static final int PERSONS = 500;
    private static final int[] STEPS = { 1, 7, 31 };

    private FriendGraph()
    {
    }

    public static void main(String[] arguments) throws Exception
    {
        try (JanusGraph graph = open(arguments))
        {
            define(graph);
            fill(graph);
            ask(graph);
        }
        // what an instance that has ended left; nothing of it is in this one's caches
        try (JanusGraph graph = open(arguments))
        {
            ask(graph);
            change(graph);
            ask(graph);
            refuse(graph);
        }
        System.exit(0);
    }

    private static JanusGraph open(String[] arguments)
    {
        return JanusGraphFactory.build().set("storage.backend", "cql").set("storage.hostname", arguments[0])
                                .set("storage.port", Integer.parseInt(arguments[1])).set("storage.cql.keyspace", arguments[2])
                                .set("storage.cql.local-datacenter", "datacenter1").set("storage.cql.request-timeout", 60_000)
                                .set("schema.default", "none").set("cache.db-cache", true).open();
    }

    private static void define(JanusGraph graph)
    {
        JanusGraphManagement schema = graph.openManagement();
        PropertyKey name = schema.makePropertyKey("name").dataType(String.class).make();
        PropertyKey city = schema.makePropertyKey("city").dataType(String.class).make();
        PropertyKey since = schema.makePropertyKey("since").dataType(Integer.class).make();
        schema.makePropertyKey("tag").dataType(String.class).cardinality(Cardinality.SET).make();
        EdgeLabel knows = schema.makeEdgeLabel("knows").multiplicity(Multiplicity.MULTI).make();
        EdgeLabel visited = schema.makeEdgeLabel("visited").multiplicity(Multiplicity.SIMPLE).make();
        schema.setTTL(visited, Duration.ofDays(10));
        schema.makeVertexLabel("person").make();
        JanusGraphIndex unique = schema.buildIndex("byName", Vertex.class).addKey(name).unique().buildCompositeIndex();
        schema.setConsistency(unique, ConsistencyModifier.LOCK);
        schema.buildIndex("byCity", Vertex.class).addKey(city).buildCompositeIndex();
        schema.buildEdgeIndex(knows, "bySince", Direction.BOTH, Order.desc, since);
        schema.commit();
    }

    private static void fill(JanusGraph graph)
    {
        JanusGraphTransaction transaction = graph.newTransaction();
        List<Vertex> persons = new ArrayList<>();
        for (int i = 0; i < PERSONS; i++)
        {
            Vertex person = transaction.addVertex("person");
            person.property("name", "person " + i);
            person.property("city", "city " + i % 9);
            person.property("tag", "tag " + i % 4);
            person.property("tag", "tag " + i % 5);
            persons.add(person);
        }
        for (int i = 0; i < PERSONS; i++)
            for (int step : STEPS)
            {
                persons.get(i).addEdge("knows", persons.get((i + step) % PERSONS), "since", 1990 + (i + step) % 30);
                persons.get(i).addEdge("visited", persons.get((i + step * 3) % PERSONS));
            }
        transaction.commit();
    }

    private static void ask(JanusGraph graph)
    {
        ask(graph, "vertices", g -> g.V().count().next());
        ask(graph, "edges", g -> g.E().count().next());
        ask(graph, "of a city", g -> g.V().has("city", "city 4").values("name").order().toList());
        ask(graph, "friends", g -> g.V().has("name", "person 7").out("knows").values("name").order().toList());
        ask(graph, "since", g -> g.V().has("name", "person 7").bothE("knows").has("since", P.gte(1995))
                                  .order().by("since").by(__.outV().values("name")).by(__.inV().values("name"))
                                  .project("from", "to", "since").by(__.outV().values("name")).by(__.inV().values("name")).by("since")
                                  .toList());
        ask(graph, "newest", g -> g.V().has("name", "person 9").outE("knows").order().by("since", Order.desc).limit(2).values("since")
                                   .toList());
        ask(graph, "reached", g -> g.V().has("name", "person 3").repeat(__.out("knows")).times(3).dedup().values("name").order().toList());
        ask(graph, "visitors", g -> g.V().has("name", "person 8").in("visited").values("name").order().toList());
        ask(graph, "cities", g -> sorted(g.V().hasLabel("person").groupCount().by("city").next()));
        ask(graph, "tags", g -> sorted(g.V().values("tag").groupCount().next()));
        ask(graph, "nobody", g -> g.V().has("name", "nobody").count().next());
    }

    private static Map<Object, Long> sorted(Map<Object, Long> counts)
    {
        return new TreeMap<>(counts);
    }

    private static void ask(JanusGraph graph, String step, Function<GraphTraversalSource, Object> question)
    {
        JanusGraphTransaction transaction = graph.newTransaction();
        System.out.println("> " + step + ": " + question.apply(transaction.traversal()));
        transaction.rollback();
    }

    private static void change(JanusGraph graph)
    {
        JanusGraphTransaction transaction = graph.newTransaction();
        GraphTraversalSource g = transaction.traversal();
        g.V().has("city", "city 2").property("city", "city 4").iterate();
        g.V().has("city", "city 3").drop().iterate();
        g.V().has("name", "person 7").outE("knows").has("since", P.lt(2000)).drop().iterate();
        g.V().has("name", "person 8").properties("tag").drop().iterate();
        transaction.commit();
        JanusGraphTransaction given = graph.newTransaction();
        given.traversal().V().has("city", "city 4").drop().iterate();
        given.rollback();
    }

    /** The lock that makes a name unique. */
    private static void refuse(JanusGraph graph)
    {
        JanusGraphTransaction transaction = graph.newTransaction();
        try
        {
            transaction.addVertex("person").property("name", "person 7");
            transaction.commit();
            System.out.println("> a second person 7");
        }
        catch (RuntimeException e)
        {
            System.out.println("> refused: " + e.getClass().getSimpleName() + ": " + e.getMessage());
            transaction.rollback();
        }
    }
}
