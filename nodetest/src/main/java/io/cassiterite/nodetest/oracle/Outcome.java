/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

/** The outcome of a step: not compared (the node could not be reached), or compared, with or without a difference. */
final class Outcome
{
    final String difference;
    final boolean compared;
    final boolean failed;
    /** Why all sides failed; null if they did not. */
    final String refusal;
    /** The answers differed first, and the clock had gone on meanwhile; asked again, they were alike. */
    final boolean late;

    private Outcome(String difference, boolean compared, boolean failed, String refusal)
    {
        this(difference, compared, failed, refusal, false);
    }

    private Outcome(String difference, boolean compared, boolean failed, String refusal, boolean late)
    {
        this.difference = difference;
        this.compared = compared;
        this.failed = failed;
        this.refusal = refusal;
        this.late = late;
    }

    /** @param refusal null where the statement was answered */
    static Outcome alike(String refusal)
    {
        return new Outcome(null, true, refusal != null, refusal);
    }

    /** See {@link #late}. */
    static Outcome alikeLater(String refusal)
    {
        return new Outcome(null, true, refusal != null, refusal, true);
    }

    static Outcome differs(String difference, boolean failed)
    {
        return new Outcome(difference, true, failed, null);
    }

    static Outcome unreachable(String error)
    {
        return new Outcome(null, false, true, "unreachable: " + error);
    }

    /** Of an event of the node. */
    static Outcome done()
    {
        return new Outcome(null, false, false, null);
    }

    /** Of a flush or compaction that failed. */
    static Outcome broken(String difference)
    {
        return new Outcome(difference, false, true, null);
    }
}
