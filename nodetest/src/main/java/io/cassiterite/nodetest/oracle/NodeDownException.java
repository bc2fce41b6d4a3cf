/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

/** The node ended by itself in the middle of a history: a finding of its own. */
final class NodeDownException extends IllegalStateException
{
    private static final long serialVersionUID = 1;

    NodeDownException(String trouble)
    {
        super("the node is down: " + trouble);
    }
}
