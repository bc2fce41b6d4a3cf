/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Moves of rows between the engine and sstables: tables that enter the engine, and leave it. */
package io.cassiterite.move;
