/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.Table;

/** The door of this node. */
final class EngineDoor implements NativeDoor
{
    private final Door door;

    EngineDoor(Door door)
    {
        this.door = door;
    }

    @Override
    public void renew(int millis)
    {
        door.renew(millis);
    }

    @Override
    public void shut()
    {
        door.shut();
    }

    @Override
    public void openTable(Table table, byte[] spec)
    {
        door.openTable(table, spec);
    }

    @Override
    public void closeTable(byte[] tableId)
    {
        door.closeTable(tableId);
    }

    @Override
    public void putRecipe(byte[] recipe)
    {
        door.putRecipe(recipe);
    }

    @Override
    public void dropRecipe(byte[] statementId)
    {
        door.dropRecipe(statementId);
    }

    @Override
    public void refuseRecipe(byte[] statementId)
    {
        door.refuseRecipe(statementId);
    }

    @Override
    public void forgetRefused()
    {
        door.forgetRefused();
    }

    @Override
    public void admit(long connection, int login)
    {
        door.admit(connection, login);
    }

    @Override
    public void grants(int[] logins, byte[] ids)
    {
        door.grants(logins, ids);
    }

    @Override
    public byte[] served()
    {
        return door.served();
    }
}
