/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

/** The door cannot meet clients as Cassandra's own transport would. */
final class TlsObstacleException extends Exception
{
    private static final long serialVersionUID = 1;

    private final TlsObstacle obstacle;

    TlsObstacleException(TlsObstacle obstacle, String detail, Throwable cause)
    {
        super(detail == null ? obstacle.reason() : obstacle.reason() + ": " + detail, cause);
        this.obstacle = obstacle;
    }

    TlsObstacleException(TlsObstacle obstacle)
    {
        this(obstacle, null, null);
    }

    TlsObstacle obstacle()
    {
        return obstacle;
    }
}
