/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * What the plug-in uses of Cassandra although it is not public. No seam: the other packages call it, on their threads.
 * Nothing here initializes a class of Cassandra before somebody reads or calls a member.
 */
package io.cassiterite.reflect;
