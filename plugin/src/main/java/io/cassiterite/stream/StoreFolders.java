/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.nio.file.Path;

import io.cassiterite.engine.Store;

/** Where streams keep their files: on the store's own filesystem, so that a file goes in and out by a link. */
final class StoreFolders
{
    private StoreFolders()
    {
    }

    /** Shipments and sstables on their way out; emptied when the store is opened. */
    static Path outgoing(Store store)
    {
        return Path.of(store.directory(), "export");
    }

    /** Shipments on their way in; see {@link RetainedFiles#recover} for what is left of them when the process is killed. */
    static Path incoming(Store store)
    {
        return Path.of(store.directory(), "incoming");
    }

    /** Whole files that came with sessions that failed; see {@link RetainedFiles}. */
    static Path retained(Store store)
    {
        return Path.of(store.directory(), "retained");
    }

    /** Where early builds retained them; nothing new comes there. */
    static Path formerlyRetained(Store store)
    {
        return Path.of(store.directory(), "held");
    }
}
