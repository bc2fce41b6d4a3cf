/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.nio.file.Path;

import io.cassiterite.engine.Store;

/** Where streams keep their files: on the store's own filesystem, so that a link moves a file in and out. */
final class StoreFolders
{
    private StoreFolders()
    {
    }

    /** Shipments and sstables that are being sent; emptied when the store is opened. */
    static Path outgoing(Store store)
    {
        return Path.of(store.directory(), "export");
    }

    /** Shipments that are being received; {@link RetainedFiles#recover} takes over what a killed process left. */
    static Path incoming(Store store)
    {
        return Path.of(store.directory(), "incoming");
    }

    /** Verified whole files of sessions that failed; see {@link RetainedFiles}. */
    static Path retained(Store store)
    {
        return Path.of(store.directory(), "retained");
    }

    /** Where early builds retained them; no new files go there. */
    static Path formerlyRetained(Store store)
    {
        return Path.of(store.directory(), "held");
    }
}
