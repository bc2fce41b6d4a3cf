/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

/** What came of learning a statement's recipe. Immutable. */
final class Lesson
{
    private static final Lesson NOT_NOW = new Lesson(null, null);

    private final byte[] recipe;
    private final String refusal;

    private Lesson(byte[] recipe, String refusal)
    {
        this.recipe = recipe;
        this.refusal = refusal;
    }

    /** @param recipe as docs/internals/boundary.md describes it */
    static Lesson recipe(byte[] recipe)
    {
        return new Lesson(recipe, null);
    }

    /** @param reason why there can be no recipe before the schema changes, for people */
    static Lesson refused(String reason)
    {
        return new Lesson(null, reason);
    }

    /** There may be a recipe at the next try. */
    static Lesson notNow()
    {
        return NOT_NOW;
    }

    /** Null if there is none. */
    byte[] recipe()
    {
        return recipe;
    }

    /** Null if there is a recipe, or may be one soon. */
    String refusal()
    {
        return refusal;
    }
}
