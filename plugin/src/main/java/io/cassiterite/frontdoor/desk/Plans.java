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

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.MD5Digest;
import org.apache.cassandra.utils.NoSpamLogger;

/**
 * The statements that the door has plans of. A plan lives no longer than the statement that it was learned from, and
 * than the schema that it was learned under. Thread-safe, but only one thread learns.
 */
final class Plans
{
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(LoggerFactory.getLogger(Plans.class), 10, TimeUnit.MINUTES);

    static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    static final int MAX_PLANS = 10_000;
    /** Of which the report tells. */
    private static final int MAX_REFUSALS = 1_000;

    private final NativeDoor door;
    private final Statements statements;
    private final OpenTables tables;
    private final Grants grants;
    private final LongSupplier clock;

    private final Map<MD5Digest, Plan> plans = new HashMap<>();
    private final Map<Statement, String> refusals = new HashMap<>();
    private long schemaChanges;

    Plans(NativeDoor door, Statements statements, OpenTables tables, Grants grants, LongSupplier clock)
    {
        this.door = door;
        this.statements = statements;
        this.tables = tables;
        this.grants = grants;
        this.clock = clock;
    }

    /**
     * A statement was executed that the door cannot answer yet: learns its plan, if there is none.
     *
     * @return null if there can be no plan, or not now; the door asks again
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
        Statement select = statements.select(id, prepared);
        // Others are refused all the same: who only writes is not to stay at the door for a plan that cannot come.
        if (select != null && count() >= MAX_PLANS)
        {
            NO_SPAM.warn("The front door has {} plans already; other statements are left to Cassandra", MAX_PLANS);
            return null;
        }
        Lesson lesson = select == null ? Lesson.refused("it is no SELECT") : statements.learn(select);
        return keep(id, select, lesson, before);
    }

    private synchronized long schemaChanges()
    {
        return schemaChanges;
    }

    private synchronized Statement known(MD5Digest id)
    {
        Plan plan = plans.get(id);
        if (plan == null)
            return null;
        plan.lastUse = clock.getAsLong();
        return plan.statement;
    }

    private synchronized Statement keep(MD5Digest id, Statement select, Lesson lesson, long before)
    {
        if (schemaChanges != before)
            return null;
        drop(plan -> plan.statement.id.equals(id));
        if (lesson.refusal() != null)
            refuse(id, select, lesson.refusal());
        else if (lesson.plan() != null)
            return put(select, lesson.plan());
        return null;
    }

    private Statement put(Statement statement, byte[] plan)
    {
        door.putPlan(plan);
        plans.put(statement.id, new Plan(statement, clock.getAsLong()));
        tables.want(statement.table);
        return statement;
    }

    private void refuse(MD5Digest id, Statement select, String reason)
    {
        door.refusePlan(id.bytes);
        if (select != null && refusals.size() < MAX_REFUSALS)
            refusals.put(select, reason);
    }

    private void forgetRefused()
    {
        door.forgetRefused();
        refusals.clear();
    }

    /** The schema has changed, but Cassandra has not said so to anybody. When this returns no plan of before answers. */
    synchronized void schemaChanged(Predicate<Statement> concerned)
    {
        schemaChanges++;
        drop(plan -> concerned.test(plan.statement));
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
        drop(plan -> present.get(plan.statement.id) != plan.statement.prepared || now - plan.lastUse > IDLE_NANOS);
        List<MD5Digest> used = new ArrayList<>();
        for (Plan plan : plans.values())
        {
            if (plan.usedSince)
                used.add(plan.statement.id);
            plan.usedSince = false;
        }
        return used;
    }

    /** The door has answered these statements. @return those that have plans still */
    synchronized Set<Statement> used(Map<MD5Digest, Served.Executions> executions)
    {
        Set<Statement> used = new HashSet<>();
        executions.forEach((id, executed) -> {
            Plan plan = plans.get(id);
            if (plan != null && plan.record(executed, clock.getAsLong()))
                used.add(plan.statement);
        });
        return used;
    }

    /** What the front door knows of each statement, for people. */
    synchronized void report(PlanReport report)
    {
        plans.values().forEach(plan -> report.add(plan.statement, plan.audition.description(), plan.executions));
        refusals.forEach((statement, reason) -> report.add(statement, "refused: " + reason, 0));
    }

    /** Drops all. */
    synchronized void clear()
    {
        schemaChanges++;
        drop(plan -> true);
        forgetRefused();
    }

    private void drop(Predicate<Plan> which)
    {
        Set<Statement> dropped = new HashSet<>();
        for (Plan plan : plans.values())
            if (which.test(plan))
                dropped.add(plan.statement);
        if (dropped.isEmpty())
            return;
        grants.forget(dropped);
        for (Statement statement : dropped)
        {
            door.dropPlan(statement.id.bytes);
            plans.remove(statement.id);
        }
        dropped.stream().map(statement -> statement.table).distinct().filter(this::isUnused).forEach(tables::forget);
    }

    private boolean isUnused(TableId table)
    {
        return plans.values().stream().noneMatch(plan -> plan.statement.table.equals(table));
    }

    /** Those that plans read. */
    synchronized Set<String> keyspaces()
    {
        Set<String> keyspaces = new HashSet<>();
        plans.values().forEach(plan -> keyspaces.add(plan.statement.keyspace));
        return keyspaces;
    }

    synchronized int count()
    {
        return plans.size();
    }

    private static final class Plan
    {
        final Statement statement;
        long lastUse;
        boolean usedSince = true;
        long executions;
        Served.Audition audition = Served.Audition.AUDITIONING;

        Plan(Statement statement, long lastUse)
        {
            this.statement = statement;
            this.lastUse = lastUse;
        }

        /** @return true if the plan is in use */
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
