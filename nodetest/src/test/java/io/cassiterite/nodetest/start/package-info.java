/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** The guard of the start: nodes that must not start, or start without a part of the plug-in. */
package io.cassiterite.nodetest.start;
