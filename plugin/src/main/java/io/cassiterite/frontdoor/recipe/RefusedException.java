/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

/** Ends the learning of a statement. It is no failure, so it has no stack trace. */
final class RefusedException extends RuntimeException
{
    private static final long serialVersionUID = 1;

    final RecipeRefusal reason;

    RefusedException(RecipeRefusal reason)
    {
        super(reason.text(), null, false, false);
        this.reason = reason;
    }

    static void refuseIf(boolean condition, RecipeRefusal reason)
    {
        if (condition)
            throw new RefusedException(reason);
    }
}
