/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** The crash test: writers, kills, and the check that every acknowledged write is there. {@code make crash} runs it. */
package io.cassiterite.nodetest.crash;
