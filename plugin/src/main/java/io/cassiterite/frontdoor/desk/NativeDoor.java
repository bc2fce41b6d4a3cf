/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import io.cassiterite.engine.Table;

/**
 * What the desk tells the front door. Every method may be called from any thread and returns at once. Where a right
 * ends, no answer that was begun under it is sent after the method returns.
 */
interface NativeDoor
{
    /** The lease: the door may answer from now on, for so long. */
    void renew(int millis);

    /** Ends the lease. */
    void shut();

    /** Lets recipes of a table be answered from this generation. Replaces the table's former opening. */
    void openTable(Table table, byte[] spec);

    void closeTable(byte[] tableId);

    /** Replaces the statement's former recipe. */
    void putRecipe(byte[] recipe);

    /** The door forwards the statement, and asks for it again when it comes. */
    void dropRecipe(byte[] statementId);

    /** The door forwards the statement, and does not ask again before {@link #forgetRefused}. */
    void refuseRecipe(byte[] statementId);

    void forgetRefused();

    /** The connection is logged in under this number. */
    void admit(long connection, int login);

    /**
     * The whole set of pairs that may be answered.
     *
     * @param ids the statement of each login, 16 bytes each
     */
    void grants(int[] logins, byte[] ids);

    /** What was answered since the last call, as {@link Served} reads it. */
    byte[] served();
}
