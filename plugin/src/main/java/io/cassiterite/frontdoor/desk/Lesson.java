/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

/** What came of learning a statement's plan. Immutable. */
final class Lesson
{
    private static final Lesson NOT_NOW = new Lesson(null, null);

    private final byte[] plan;
    private final String refusal;

    private Lesson(byte[] plan, String refusal)
    {
        this.plan = plan;
        this.refusal = refusal;
    }

    /** @param plan as docs/internals/boundary.md describes it */
    static Lesson plan(byte[] plan)
    {
        return new Lesson(plan, null);
    }

    /** @param reason why there can be no plan before the schema changes, for people */
    static Lesson refused(String reason)
    {
        return new Lesson(null, reason);
    }

    /** There may be a plan at the next try. */
    static Lesson notNow()
    {
        return NOT_NOW;
    }

    /** Null if there is none. */
    byte[] plan()
    {
        return plan;
    }

    /** Null if there is a plan, or may be one soon. */
    String refusal()
    {
        return refusal;
    }
}
