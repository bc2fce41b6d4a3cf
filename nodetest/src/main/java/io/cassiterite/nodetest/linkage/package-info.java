/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Whether a version of Cassandra has what the plug-in's jar uses of it. */
package io.cassiterite.nodetest.linkage;
