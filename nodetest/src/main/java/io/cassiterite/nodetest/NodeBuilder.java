/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The description of a test node; made by {@link Node#named}. */
public final class NodeBuilder
{
    private static final String FRONT_DOOR_KEY = "memtable.configurations.cassiterite.parameters.front_door";
    /** What nodes with the plug-in have that do not say otherwise: make test-node FRONT_DOOR=... */
    private static final String FRONT_DOOR = System.getProperty("cassiterite.front_door", "off");
    /** The same for those whose front door is on, FRONT_DOOR_RESPONSES=... and FRONT_DOOR_VERDICTS=...; their defaults. */
    private static final Map<String, String> MORE_OF_FRONT_DOOR = Map.of("_responses", "pair", "_verdicts", "connection");

    final String name;
    final List<String> jvmOptions = new ArrayList<>();
    final Map<String, String> yaml = new LinkedHashMap<>();
    final Map<String, String> environment = new LinkedHashMap<>();
    final List<Path> classpath = new ArrayList<>();
    String address = "127.0.0.1";
    String heap = "1g";
    String seeds;
    int storagePort;
    Path base;
    boolean stock;
    boolean keep;
    boolean tuned = true;

    NodeBuilder(String name)
    {
        this.name = name;
        this.base = Checkout.nodes().resolve(name);
    }

    /** Without the plug-in. */
    public NodeBuilder stock()
    {
        stock = true;
        return this;
    }

    /** On another loopback address, for example 127.0.0.2; the ports are always free ones. */
    public NodeBuilder address(String loopback)
    {
        address = loopback;
        return this;
    }

    /** Small, and one of several that come and go: a node on its way is not forgotten between two messages. */
    public NodeBuilder ofChangingRing()
    {
        return heap("512m").jvm("-Dcassandra.ring_delay_ms=4000").jvm("-Dcassandra.broadcast_interval_ms=10000");
    }

    /** Joins the cluster of a node that runs. */
    public NodeBuilder joining(Node seed)
    {
        seeds = seed.address() + ":" + seed.storagePort();
        yaml("auto_bootstrap", "true");
        // long enough for gossip with the seed; the node waits for it several times
        jvm("-Dcassandra.ring_delay_ms=4000");
        return this;
    }

    /** Takes the place of a node that is dead for good; to be started with {@link #joining}. */
    public NodeBuilder replacing(Node dead)
    {
        // Cassandra looks for the dead one at the port of the new one
        storagePort = dead.storagePort();
        jvm("-Dcassandra.replace_address_first_boot=" + dead.address());
        return this;
    }

    /** As in {@code -Xmx}; 1g unless said. */
    public NodeBuilder heap(String size)
    {
        heap = size;
        return this;
    }

    /**
     * Sets a top-level key of cassandra.yaml.
     *
     * @param value YAML; may begin with a line feed and go over several indented lines
     */
    public NodeBuilder yaml(String key, String value)
    {
        yaml.put(key, value);
        return this;
    }

    /** Requests do not time out before the client does: on a busy machine a late answer is no wrong one. */
    public NodeBuilder patient()
    {
        for (String request : List.of("request", "read_request", "range_request", "write_request", "counter_write_request",
                                      "cas_contention", "truncate_request"))
            yaml(request + "_timeout", "60s");
        return this;
    }

    /** With {@code front_door} in the plug-in's configuration, for example {@code proxy}. */
    public NodeBuilder frontDoor(String mode)
    {
        return yaml(FRONT_DOOR_KEY, mode);
    }

    /** With {@code front_door_quorum_reads} in the plug-in's configuration, for example {@code on}; its door has a port of its own. */
    public NodeBuilder quorumReads(String mode)
    {
        yaml(FRONT_DOOR_KEY + "_port", Integer.toString(FreePorts.next("127.0.0.1")));
        return yaml(FRONT_DOOR_KEY + "_quorum_reads", mode);
    }

    /** With {@code front_door_writes} in the plug-in's configuration, for example {@code replicated}. */
    public NodeBuilder nativeWrites(String mode)
    {
        return yaml(FRONT_DOOR_KEY + "_writes", mode);
    }

    private void moreOfFrontDoor(String suffix, String byDefault)
    {
        String wanted = System.getProperty("cassiterite.front_door" + suffix, byDefault);
        if (!wanted.equals(byDefault))
            yaml.putIfAbsent(FRONT_DOOR_KEY + suffix, wanted);
    }

    /** Adds a JVM option, for example {@code -Dx=y}. */
    public NodeBuilder jvm(String option)
    {
        jvmOptions.add(option);
        return this;
    }

    /** Adds a jar or a folder of classes behind Cassandra's jars. */
    public NodeBuilder classpath(Path path)
    {
        classpath.add(path);
        return this;
    }

    /** Sets a variable of the node's environment. */
    public NodeBuilder environment(String variable, String value)
    {
        environment.put(variable, value);
        return this;
    }

    /** Keeps everything elsewhere than in build/nodes/NAME, for example on a small tmpfs. */
    public NodeBuilder base(Path folder)
    {
        base = folder;
        return this;
    }

    /** Starts on what an earlier node left in the base folder; otherwise the folder is emptied. */
    public NodeBuilder keep()
    {
        keep = true;
        return this;
    }

    /** With the JVM and caches of a real node (G1, all compilers), for measurements; starts more slowly. */
    public NodeBuilder untuned()
    {
        tuned = false;
        return this;
    }

    /** @return the node, not started */
    public Node build()
    {
        if (!keep)
            Checkout.delete(base);
        if (!stock && !FRONT_DOOR.equals("off") && !yaml.containsKey(FRONT_DOOR_KEY))
            frontDoor(FRONT_DOOR);
        if (yaml.containsKey(FRONT_DOOR_KEY))
            MORE_OF_FRONT_DOOR.forEach(this::moreOfFrontDoor);
        return new Node(this);
    }

    /** @return the node, started */
    public Node start()
    {
        return build().start();
    }
}
