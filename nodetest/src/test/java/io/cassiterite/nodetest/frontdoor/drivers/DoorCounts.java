/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;

/** What the front door of a node has answered, by its own virtual tables. */
final class DoorCounts
{
    private final Cql cql;

    DoorCounts(Cql cql)
    {
        this.cql = cql;
    }

    /** @return executions that the door itself has answered */
    long answered()
    {
        return count("executes_answered");
    }

    /** @return answers of the door that were not Cassandra's, and were not sent */
    long different()
    {
        return count("answers_different");
    }

    /** @return clients that have come to the door */
    long accepted()
    {
        return count("clients_accepted");
    }

    private long count(String name)
    {
        return cql.rows("SELECT count FROM cassiterite.front_door WHERE name = '" + name + '\'').get(0).getLong(0);
    }

    /** @return what the door knows, where it does not answer */
    String report()
    {
        StringBuilder text = new StringBuilder();
        for (Row counter : cql.rows("SELECT name, count FROM cassiterite.front_door"))
            if (counter.getLong(1) > 0)
                text.append(counter.getString(0)).append('=').append(counter.getLong(1)).append(' ');
        cql.texts("SELECT * FROM cassiterite.front_door_gates").forEach(gate -> text.append('\n').append(gate));
        cql.texts("SELECT * FROM cassiterite.front_door_recipes").forEach(recipe -> text.append('\n').append(recipe));
        return text.toString();
    }
}
