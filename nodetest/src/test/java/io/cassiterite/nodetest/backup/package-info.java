/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Snapshots that are taken and restored, and what a restore may leave behind. */
package io.cassiterite.nodetest.backup;
