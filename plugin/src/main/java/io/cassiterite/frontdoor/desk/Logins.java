/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;

/** The logins that connections came with. A number is never given to two of them. Thread-safe. */
final class Logins
{
    private final NativeDoor door;
    private final Map<Login.Key, Login> logins = new HashMap<>();
    private final Map<Long, Login> admitted = new HashMap<>();
    private int lastNumber;

    Logins(NativeDoor door)
    {
        this.door = door;
    }

    /** Admits a connection, which may have been admitted before. @return null if nobody has logged in on it yet */
    synchronized Login admit(long number, ClientConnection connection)
    {
        if (!connection.isOpen() || !connection.isLoggedIn())
            return null;
        Login.Key key = new Login.Key(connection);
        Login login = logins.computeIfAbsent(key, absent -> new Login(++lastNumber, key));
        login.add(number, connection);
        admitted.put(number, login);
        door.admit(number, login.number);
        return login;
    }

    /** Of those that are admitted. */
    synchronized Set<Login> of(Set<Long> numbers)
    {
        Set<Login> found = new HashSet<>();
        for (long number : numbers)
            if (admitted.containsKey(number))
                found.add(admitted.get(number));
        return found;
    }

    /**
     * Forgets the connections that have closed or left, and logins without any. The door ends an admission when it sees the result
     * of USE; an admission that was on its way then came after it, and is corrected here.
     */
    synchronized void review(LongFunction<ClientConnection> connections)
    {
        admitted.entrySet().removeIf(entry -> {
            boolean isGone = connections.apply(entry.getKey()) == null;
            if (isGone)
                entry.getValue().remove(entry.getKey());
            return isGone;
        });
        for (Map.Entry<Long, Login> entry : Map.copyOf(admitted).entrySet())
        {
            ClientConnection connection = connections.apply(entry.getKey());
            if (connection != null && !entry.getValue().key.equals(new Login.Key(connection)))
                admit(entry.getKey(), connection);
        }
        logins.values().removeIf(Login::forgetOthers);
    }

    synchronized int count()
    {
        return logins.size();
    }
}
