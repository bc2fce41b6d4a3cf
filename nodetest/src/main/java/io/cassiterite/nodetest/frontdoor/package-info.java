/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The frame oracle: random requests to the front door and to a stock native transport of the same node, whose answers are
 * compared byte by byte. {@code make oracle-frames} runs it.
 */
package io.cassiterite.nodetest.frontdoor;
