/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MD5Digest;
import org.apache.cassandra.utils.UUIDGen;

import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;

/** A front door that answers nobody, and remembers what it may answer. */
final class FakeDoor implements NativeDoor
{
    /** All calls but renewals and admissions, in order. */
    final List<String> calls = new ArrayList<>();
    final Map<TableId, Table> open = new HashMap<>();
    final Map<TableId, byte[]> specs = new HashMap<>();
    final Map<MD5Digest, byte[]> recipes = new HashMap<>();
    final Set<MD5Digest> refused = new HashSet<>();
    final Map<Long, Integer> admitted = new HashMap<>();
    /** "login:statement", the statement as {@link #name} has it. */
    Set<String> grants = new HashSet<>();
    final Set<TableId> unopenable = new HashSet<>();
    final Set<TableId> unclosable = new HashSet<>();
    boolean leased;
    int renewals;
    byte[] served;
    Runnable onAdmission = () -> {};
    Runnable onRenewal = () -> {};
    Runnable onGrants = () -> {};

    @Override
    public void renew(int millis)
    {
        leased = true;
        renewals++;
        onRenewal.run();
    }

    @Override
    public void shut()
    {
        calls.add("shut");
        leased = false;
    }

    @Override
    public void openTable(Table table, byte[] spec)
    {
        TableId id = TableId.fromUUID(UUIDGen.getUUID(java.nio.ByteBuffer.wrap(spec, 1, 16)));
        if (unopenable.contains(id))
            throw new IllegalStateException("test");
        calls.add("open " + id);
        open.put(id, table);
        specs.put(id, spec);
    }

    @Override
    public void closeTable(byte[] tableId)
    {
        if (unclosable.stream().anyMatch(id -> Arrays.equals(TableSchema.identity(id), tableId)))
            throw new IllegalStateException("test");
        open.keySet().removeIf(id -> {
            boolean isIt = Arrays.equals(TableSchema.identity(id), tableId);
            if (isIt)
                calls.add("close " + id);
            return isIt;
        });
    }

    @Override
    public void putRecipe(byte[] recipe)
    {
        MD5Digest id = MD5Digest.wrap(Arrays.copyOf(recipe, 16));
        calls.add("put " + name(id));
        recipes.put(id, recipe);
    }

    @Override
    public void dropRecipe(byte[] statementId)
    {
        calls.add("drop " + name(MD5Digest.wrap(statementId)));
        recipes.remove(MD5Digest.wrap(statementId));
    }

    @Override
    public void refuseRecipe(byte[] statementId)
    {
        refused.add(MD5Digest.wrap(statementId));
    }

    @Override
    public void forgetRefused()
    {
        refused.clear();
    }

    @Override
    public void admit(long connection, int login)
    {
        admitted.put(connection, login);
        onAdmission.run();
    }

    @Override
    public void grants(int[] logins, byte[] ids)
    {
        onGrants.run();
        Set<String> pairs = new HashSet<>();
        for (int i = 0; i < logins.length; i++)
            pairs.add(logins[i] + ":" + name(MD5Digest.wrap(Arrays.copyOfRange(ids, 16 * i, 16 * i + 16))));
        calls.add("grants " + pairs.size());
        grants = pairs;
    }

    @Override
    public byte[] served()
    {
        return served;
    }

    /** An id that a test can read: one letter, 16 times. */
    static MD5Digest id(char letter)
    {
        byte[] bytes = new byte[16];
        Arrays.fill(bytes, (byte) letter);
        return MD5Digest.wrap(bytes);
    }

    static String name(MD5Digest id)
    {
        return String.valueOf((char) id.bytes[0]);
    }
}
