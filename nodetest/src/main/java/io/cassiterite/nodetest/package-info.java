/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Starts real nodes for tests and drives them over CQL, JMX, nodetool and signals. */
package io.cassiterite.nodetest;
