/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

/** The plan of a statement, or why the front door cannot answer it. Immutable. */
public final class Learned
{
    private final byte[] plan;
    private final String refusal;

    private Learned(byte[] plan, String refusal)
    {
        this.plan = plan;
        this.refusal = refusal;
    }

    /** @param plan as docs/internals/boundary.md describes it */
    public static Learned plan(byte[] plan)
    {
        return new Learned(plan, null);
    }

    public static Learned refused(String reason)
    {
        return new Learned(null, reason);
    }

    boolean isRefused()
    {
        return plan == null;
    }

    byte[] plan()
    {
        return plan;
    }

    String refusal()
    {
        return refusal;
    }
}
