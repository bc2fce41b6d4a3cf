/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The cluster as one node sees it, in the words of {@code nodetool status} and {@code describecluster}. Asked over JMX:
 * nodetool starts a JVM for every check. A node that has not started in full sees nothing.
 */
public final class Ring
{
    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
    private static final String PROXY = "org.apache.cassandra.db:type=StorageProxy";
    private static final String UNREACHABLE = "UNREACHABLE";

    private final Set<String> normal = new HashSet<>();
    private final Set<String> down = new HashSet<>();
    private int schemas;

    private Ring()
    {
    }

    /** @return what the node sees now */
    public static Ring of(Node observer)
    {
        Ring ring = new Ring();
        try (Jmx jmx = observer.jmx())
        {
            ring.read(jmx);
            return ring;
        }
        catch (IllegalStateException | UncheckedIOException e)
        {
            return new Ring();
        }
    }

    private void read(Jmx jmx)
    {
        Set<String> inRing = texts(((Map<?, ?>) jmx.attribute(STORAGE, "TokenToEndpointMap")).values());
        normal.addAll(inRing);
        normal.retainAll(nodes(jmx, "LiveNodes"));
        for (String onTheWay : new String[] { "JoiningNodes", "LeavingNodes", "MovingNodes" })
            normal.removeAll(nodes(jmx, onTheWay));
        down.addAll(inRing);
        down.retainAll(nodes(jmx, "UnreachableNodes"));
        Set<?> versions = ((Map<?, ?>) jmx.attribute(PROXY, "SchemaVersions")).keySet();
        schemas = versions.size() - (versions.contains(UNREACHABLE) ? 1 : 0);
    }

    private static Set<String> nodes(Jmx jmx, String attribute)
    {
        return texts((Collection<?>) jmx.attribute(STORAGE, attribute));
    }

    private static Set<String> texts(Collection<?> values)
    {
        return values.stream().map(Object::toString).collect(Collectors.toSet());
    }

    /** @return how many nodes are up and normal: UN */
    public int normal()
    {
        return normal.size();
    }

    /** @return whether this node is up and normal: UN */
    public boolean isNormal(Node node)
    {
        return normal.contains(node.address());
    }

    /** @return whether this node is a member of the ring and is down: D */
    public boolean isDown(Node node)
    {
        return down.contains(node.address());
    }

    /** @return whether all nodes that are alive have the same schema */
    public boolean hasOneSchema()
    {
        return schemas == 1;
    }
}
