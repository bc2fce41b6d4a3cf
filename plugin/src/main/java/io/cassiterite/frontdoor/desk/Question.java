/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import org.apache.cassandra.schema.TableId;

/** Whether a login may execute a statement of a table: all its statements get the same answer. */
final class Question
{
    final Login login;
    final TableId table;
    /** One of the table's. */
    private final Statement statement;

    Question(Login login, Statement statement)
    {
        this.login = login;
        this.table = statement.table;
        this.statement = statement;
    }

    /** As Cassandra would decide a request that came now; may take long. */
    boolean isAllowed(Authority authority)
    {
        ClientConnection connection = login.connection();
        return connection != null && authority.allows(connection, statement);
    }

    @Override
    public boolean equals(Object other)
    {
        return other instanceof Question && login == ((Question) other).login && table.equals(((Question) other).table);
    }

    @Override
    public int hashCode()
    {
        return 31 * System.identityHashCode(login) + table.hashCode();
    }
}
