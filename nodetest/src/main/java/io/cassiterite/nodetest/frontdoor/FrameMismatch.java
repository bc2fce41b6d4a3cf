/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

/** The two sides answered differently. */
final class FrameMismatch extends RuntimeException
{
    private static final long serialVersionUID = 1;

    FrameMismatch(String description)
    {
        super(description);
    }
}
