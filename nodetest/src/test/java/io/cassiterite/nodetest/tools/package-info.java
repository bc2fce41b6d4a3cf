/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Programs of the trade beside engine tables, as registries bring them: what they do is the same on a stock node. */
package io.cassiterite.nodetest.tools;
