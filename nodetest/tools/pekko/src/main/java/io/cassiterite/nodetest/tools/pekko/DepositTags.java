/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.pekko;

import java.util.Set;

import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.journal.WriteEventAdapter;

/** Tags the events for the journal's view by tags. */
public final class DepositTags implements WriteEventAdapter
{
    @Override
    public String manifest(Object event)
    {
        return "";
    }

    @Override
    public Object toJournal(Object event)
    {
        return new Tagged(event, Set.of(((String) event).hashCode() % 2 == 0 ? "even" : "odd"));
    }
}
