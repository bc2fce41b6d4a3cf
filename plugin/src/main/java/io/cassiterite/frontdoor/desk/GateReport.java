/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

/** The gates that are closed, for people. */
final class GateReport
{
    /** What the report of a door without a desk is. */
    static final String HEADER = "scope_name\tgate_name\treason_text\n";

    private static final String NODE = "node";

    private GateReport()
    {
    }

    /** @param tables of those that are read, and of those that are written */
    static String of(Set<NodeGate> node, List<Map<TableId, Set<TableGate>>> tables)
    {
        StringBuilder lines = new StringBuilder(HEADER);
        node.forEach(gate -> add(lines, NODE, gate.name(), gate.reason()));
        Map<TableId, Set<TableGate>> all = new LinkedHashMap<>();
        for (Map<TableId, Set<TableGate>> some : tables)
            some.forEach((id, gates) -> all.computeIfAbsent(id, any -> EnumSet.noneOf(TableGate.class)).addAll(gates));
        all.forEach((id, gates) -> gates.forEach(gate -> add(lines, name(id), gate.name(), gate.reason())));
        return lines.toString();
    }

    private static void add(StringBuilder lines, String scope, String gate, String reason)
    {
        lines.append(scope).append('\t').append(gate).append('\t').append(reason).append('\n');
    }

    static String name(TableId id)
    {
        TableMetadata table = Schema.instance.getTableMetadata(id);
        return table == null ? id.toString() : table.toString();
    }
}
