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
        Login login = admitAs(new Login.Key(connection), number, connection);
        // USE ends an admission, but one that was on its way may come after it
        while (!login.key.equals(new Login.Key(connection)))
            login = admitAs(new Login.Key(connection), number, connection);
        return login;
    }

    private Login admitAs(Login.Key key, long number, ClientConnection connection)
    {
        Login login = logins.computeIfAbsent(key, absent -> new Login(++lastNumber, key));
        login.add(connection);
        door.admit(number, login.number);
        return login;
    }

    /** Those of the connections that are open. */
    synchronized Set<Login> of(Set<Long> numbers, LongFunction<ClientConnection> connections)
    {
        Set<Login> found = new HashSet<>();
        for (long number : numbers)
        {
            ClientConnection connection = connections.apply(number);
            Login login = connection == null || !connection.isLoggedIn() ? null : logins.get(new Login.Key(connection));
            if (login != null)
                found.add(login);
        }
        return found;
    }

    /** Forgets those whose connections have all closed. */
    synchronized void forgetClosed()
    {
        logins.values().removeIf(login -> login.connection() == null);
    }

    synchronized int count()
    {
        return logins.size();
    }
}
