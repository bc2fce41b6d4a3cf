/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Tests of {@code commit_log: true}: engine tables whose writes go to Cassandra's commit log, too. */
package io.cassiterite.nodetest.commitlog;
