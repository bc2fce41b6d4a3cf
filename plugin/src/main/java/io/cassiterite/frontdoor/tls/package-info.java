/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * TLS between clients and the front door, on the terms that Cassandra's own transport would meet them with. The desk's
 * counterpart for the time before the first request: {@code TlsWatch} tells the door, {@code DoorSslHandler} tells Cassandra.
 */
package io.cassiterite.frontdoor.tls;
