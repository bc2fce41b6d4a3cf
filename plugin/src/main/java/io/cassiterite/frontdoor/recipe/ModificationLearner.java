/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.MD5Digest;

import io.cassiterite.engine.DoorWrites;

import static io.cassiterite.frontdoor.recipe.RefusedException.refuseIf;

/**
 * Learns how a statement that writes one row makes of its values what the engine is to write: by what Cassandra itself makes of
 * values that are told apart. The recipe is then tried with others, many of them equal, empty, null or unset: the door's write request
 * must be the memtable's, byte by byte, so there is nothing to compare when clients execute it.
 */
final class ModificationLearner
{
    private static final int PROBES = 8;
    private static final int CHECKS = 64;
    private static final int MAX_CROWD = 4;
    private static final long TIMESTAMP = 1_700_000_000_000_123L;
    private static final long NOW_SECONDS = 1_700_000_001L;
    private static final byte[] TTL_TYPE = { KeyTypes.INT };
    /** So that nothing expires later than Cassandra can tell. */
    private static final int MAX_TTL_SECONDS = 10_000_000;

    private final ModificationStatement statement;
    private final TableMetadata table;
    private final byte[] bindTypes;
    private final Probes probes;

    ModificationLearner(ModificationStatement statement, byte[] bindTypes)
    {
        this.statement = statement;
        this.table = statement.metadata();
        this.bindTypes = bindTypes;
        this.probes = new Probes(bindTypes, perhapsTtls(), MAX_TTL_SECONDS);
    }

    /** @param memtable makes the write request of the table's memtable */
    byte[] learn(MD5Digest id, ToIntFunction<ColumnMetadata> ids, Function<PartitionUpdate, byte[]> memtable)
    {
        ModificationPattern pattern = pattern();
        byte[] recipe = new ModificationWriter(ids).write(id, table, bindTypes.length, pattern);
        check(id, recipe, pattern, memtable);
        return recipe;
    }

    private ModificationPattern pattern()
    {
        ProbedWrite first = null;
        List<List<Candidates>> places = new ArrayList<>();
        for (int i = 0; i < PROBES; i++)
        {
            Probe probe = probes.distinct();
            ProbedWrite write = probed(probe);
            List<Cell<?>> cells = write.cells();
            if (first == null)
                first = write;
            refuseIf(!haveForm(write, first), RecipeRefusal.UNEXPLAINED);
            Candidates.narrow(places, 0, types(table.partitionKeyColumns()), probe, write.key);
            Candidates.narrow(places, 1, types(table.clusteringColumns()), probe, write.clustering());
            Candidates.narrow(places, 2, types(live(cells)), probe, values(live(cells)));
            Candidates.narrow(places, 3, TTL_TYPE, probe, List.of(ByteBufferUtil.bytes(write.ttlSeconds)));
        }
        return new ModificationPattern(first, Candidates.resolve(places.get(0)), Candidates.resolve(places.get(1)),
                                       Candidates.resolve(places.get(2)), Candidates.resolve(places.get(3)).get(0));
    }

    /** The variable of USING TTL is "[ttl]" unless the statement names it; a column that has such a name takes positive values, too. */
    private BitSet perhapsTtls()
    {
        BitSet binds = new BitSet();
        for (int i = 0; i < bindTypes.length; i++)
        {
            String name = statement.getBindVariables().get(i).name.toString();
            binds.set(i, bindTypes[i] == KeyTypes.INT && name.toLowerCase(Locale.ROOT).contains("ttl"));
        }
        return binds;
    }

    private ProbedWrite probed(Probe probe)
    {
        return ProbedWrite.of(statement, probe, TIMESTAMP, NOW_SECONDS);
    }

    private static boolean haveForm(ProbedWrite one, ProbedWrite other)
    {
        List<Cell<?>> cells = one.cells();
        List<Cell<?>> others = other.cells();
        if (one.row.isStatic() != other.row.isStatic() || cells.size() != others.size())
            return false;
        for (int i = 0; i < cells.size(); i++)
            if (!cells.get(i).column().equals(others.get(i).column()) || cells.get(i).isTombstone() != others.get(i).isTombstone())
                return false;
        return true;
    }

    private static byte[] types(List<?> columns)
    {
        byte[] types = new byte[columns.size()];
        for (int i = 0; i < types.length; i++)
        {
            Object column = columns.get(i);
            ColumnMetadata metadata = column instanceof Cell ? ((Cell<?>) column).column() : (ColumnMetadata) column;
            types[i] = KeyTypes.code(metadata.type, RecipeRefusal.BIND_TYPE);
        }
        return types;
    }

    private static List<Cell<?>> live(List<Cell<?>> cells)
    {
        return cells.stream().filter(cell -> !cell.isTombstone()).collect(Collectors.toList());
    }

    private static List<ByteBuffer> values(List<Cell<?>> cells)
    {
        List<ByteBuffer> values = new ArrayList<>();
        cells.forEach(cell -> values.add(cell.buffer()));
        return values;
    }

    private void check(MD5Digest id, byte[] recipe, ModificationPattern pattern, Function<PartitionUpdate, byte[]> memtable)
    {
        BitSet filled = pattern.keyBinds();
        BitSet lacking = pattern.cellBinds();
        for (int i = 0; i < CHECKS; i++)
        {
            Probe whole = probes.trial(i, MAX_CROWD, filled);
            Probe probe = i % 2 == 0 ? whole : probes.lacking(whole, lacking);
            byte[] made = DoorWrites.request(recipe, ExecuteBody.VERSION, ExecuteBody.of(id, probe, TIMESTAMP), NOW_SECONDS);
            byte[] expected = memtable.apply(probed(probe).update);
            refuseIf(!Arrays.equals(made, expected), RecipeRefusal.UNEXPLAINED);
        }
    }
}
