/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Tables that are in sstables and in the engine: nodes that enter, and what moves. */
package io.cassiterite.nodetest.move;
