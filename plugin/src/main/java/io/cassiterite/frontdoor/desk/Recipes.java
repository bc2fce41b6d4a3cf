/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.MD5Digest;
import org.apache.cassandra.utils.NoSpamLogger;

/**
 * The statements that the door has recipes of. A recipe lives no longer than the statement that it was learned from, and
 * than the schema that it was learned under. Thread-safe, but only one thread learns.
 */
final class Recipes
{
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(LoggerFactory.getLogger(Recipes.class), 10, TimeUnit.MINUTES);

    static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    static final int MAX_RECIPES = 10_000;
    /** Of which the report tells. */
    private static final int MAX_REFUSALS = 1_000;

    private final NativeDoor door;
    private final Statements statements;
    private final OpenTables tables;
    private final NativeWrites writes;
    private final OpenTables writtenTables;
    private final Grants grants;
    private final LongSupplier clock;

    private final Map<MD5Digest, Recipe> recipes = new HashMap<>();
    private final Map<Statement, String> refusals = new HashMap<>();
    private long schemaChanges;

    Recipes(NativeDoor door, Statements statements, OpenTables tables, Grants grants, LongSupplier clock)
    {
        this(door, null, statements, tables, null, grants, clock);
    }

    /** @param writtenTables those that the door writes to */
    Recipes(NativeDoor door, NativeWrites writes, Statements statements, OpenTables tables, OpenTables writtenTables, Grants grants,
            LongSupplier clock)
    {
        this.door = door;
        this.writes = writes;
        this.writtenTables = writtenTables;
        this.statements = statements;
        this.tables = tables;
        this.grants = grants;
        this.clock = clock;
    }

    /**
     * A statement was executed that the door cannot answer yet: learns its recipe, if there is none.
     *
     * @return null if there can be no recipe, or not now; the door asks again
     */
    Statement want(MD5Digest id)
    {
        // What is learned counts only if no schema change has come since here. Its statement may be gone then.
        long before = schemaChanges();
        Object prepared = statements.find(id);
        if (prepared == null)
            return null;
        Statement known = known(id);
        if (known != null && known.prepared == prepared)
            return known;
        Statement served = statements.served(id, prepared);
        // Others are refused all the same: who only writes is not to stay at the door for a recipe that cannot come.
        if (served != null && count() >= MAX_RECIPES)
        {
            NO_SPAM.warn("The front door has {} plans already; other statements are left to Cassandra", MAX_RECIPES);
            return null;
        }
        Lesson lesson = served == null ? Lesson.refused("it is no SELECT") : statements.learn(served);
        return keep(id, served, lesson, before);
    }

    private synchronized long schemaChanges()
    {
        return schemaChanges;
    }

    private synchronized Statement known(MD5Digest id)
    {
        Recipe recipe = recipes.get(id);
        if (recipe == null)
            return null;
        recipe.lastUse = clock.getAsLong();
        return recipe.statement;
    }

    private synchronized Statement keep(MD5Digest id, Statement select, Lesson lesson, long before)
    {
        if (schemaChanges != before)
            return null;
        drop(recipe -> recipe.statement.id.equals(id));
        if (lesson.refusal() != null)
            refuse(id, select, lesson.refusal());
        else if (lesson.recipe() != null)
            return put(select, lesson.recipe());
        return null;
    }

    private Statement put(Statement statement, byte[] recipe)
    {
        if (statement.writes)
            writes.putRecipe(recipe);
        else
            door.putRecipe(recipe);
        recipes.put(statement.id, new Recipe(statement, clock.getAsLong()));
        tablesOf(statement).want(statement.table);
        return statement;
    }

    private void refuse(MD5Digest id, Statement select, String reason)
    {
        door.refuseRecipe(id.bytes);
        if (select != null && refusals.size() < MAX_REFUSALS)
            refusals.put(select, reason);
    }

    private void forgetRefused()
    {
        door.forgetRefused();
        refusals.clear();
    }

    /** The schema has changed, but Cassandra has not said so to anybody. When this returns no recipe of before answers. */
    synchronized void schemaChanged(Predicate<Statement> concerned)
    {
        schemaChanges++;
        drop(recipe -> concerned.test(recipe.statement));
        forgetRefused();
    }

    /** Drops those that write, and asks anew for statements that were refused. */
    synchronized void forgetWrites()
    {
        schemaChanges++;
        drop(recipe -> recipe.statement.writes);
        forgetRefused();
    }

    /** Drops what Cassandra has not any more, and tells it what is in use, which it keeps then. */
    void compareWithCassandra()
    {
        Map<MD5Digest, ?> present = statements.all();
        for (MD5Digest used : compare(present, clock.getAsLong()))
            statements.find(used);
    }

    private synchronized List<MD5Digest> compare(Map<MD5Digest, ?> present, long now)
    {
        drop(recipe -> present.get(recipe.statement.id) != recipe.statement.prepared || now - recipe.lastUse > IDLE_NANOS);
        List<MD5Digest> used = new ArrayList<>();
        for (Recipe recipe : recipes.values())
        {
            if (recipe.usedSince)
                used.add(recipe.statement.id);
            recipe.usedSince = false;
        }
        return used;
    }

    /** The door has answered these statements. @return those that have recipes still */
    synchronized Set<Statement> used(Map<MD5Digest, Served.Executions> executions)
    {
        Set<Statement> used = new HashSet<>();
        executions.forEach((id, executed) -> {
            Recipe recipe = recipes.get(id);
            if (recipe != null && recipe.record(executed, clock.getAsLong()))
                used.add(recipe.statement);
        });
        return used;
    }

    /** What the front door knows of each statement, for people. */
    synchronized void report(RecipeReport report)
    {
        recipes.values().forEach(recipe -> report.add(recipe.statement, recipe.audition.description(), recipe.executions));
        refusals.forEach((statement, reason) -> report.add(statement, "refused: " + reason, 0));
    }

    /** Drops all. */
    synchronized void clear()
    {
        schemaChanges++;
        drop(recipe -> true);
        forgetRefused();
    }

    private void drop(Predicate<Recipe> which)
    {
        Set<Statement> dropped = new HashSet<>();
        for (Recipe recipe : recipes.values())
            if (which.test(recipe))
                dropped.add(recipe.statement);
        if (dropped.isEmpty())
            return;
        grants.forget(dropped);
        for (Statement statement : dropped)
        {
            door.dropRecipe(statement.id.bytes);
            recipes.remove(statement.id);
        }
        dropped.stream().filter(this::isTableUnused).forEach(statement -> tablesOf(statement).forget(statement.table));
    }

    private OpenTables tablesOf(Statement statement)
    {
        return statement.writes ? writtenTables : tables;
    }

    private boolean isTableUnused(Statement dropped)
    {
        return recipes.values().stream().map(recipe -> recipe.statement)
                      .noneMatch(other -> other.table.equals(dropped.table) && other.writes == dropped.writes);
    }

    /** Those that recipes read. */
    synchronized Set<String> keyspaces()
    {
        Set<String> keyspaces = new HashSet<>();
        recipes.values().forEach(recipe -> keyspaces.add(recipe.statement.keyspace));
        return keyspaces;
    }

    synchronized int count()
    {
        return recipes.size();
    }

    private static final class Recipe
    {
        final Statement statement;
        long lastUse;
        boolean usedSince = true;
        long executions;
        Served.Audition audition;

        Recipe(Statement statement, long lastUse)
        {
            this.statement = statement;
            this.lastUse = lastUse;
            // What writes was compared with the memtable's before.
            this.audition = statement.writes ? Served.Audition.SERVING : Served.Audition.AUDITIONING;
        }

        /** @return true if the recipe is in use */
        boolean record(Served.Executions executed, long now)
        {
            audition = executed.audition;
            executions += executed.count;
            if (executed.count == 0)
                return false;
            usedSince = true;
            lastUse = now;
            return true;
        }
    }
}
