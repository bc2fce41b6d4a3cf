/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.google.common.hash.Hashing;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.engine.Store;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Retained files: verified whole files of sessions that failed, or that ended with an earlier process. Gossip has their
 * keys, so that the next try sends only their names and checksums. Thread-safe.
 */
final class RetainedFiles
{
    private static final Logger logger = LoggerFactory.getLogger(RetainedFiles.class);

    /** Time to examine a failed bootstrap and to resume it. */
    private static final long LIFE_NANOS = TimeUnit.HOURS.toNanos(2);
    private static final int HEXADECIMAL = 16;
    /** The id of the table, if it is known, and the {@link #key}. */
    private static final Pattern NAME = Pattern.compile("(?:(" + IncomingShipment.UUID_FORM + ")-)?([0-9a-f]{1,16})");

    private static final class Retained
    {
        final Path path;
        /** Null if an earlier version, which did not record it, retained the file. */
        final TableId table;
        final long sinceNanos = System.nanoTime();

        Retained(Path path, TableId table)
        {
            this.path = path;
            this.table = table;
        }

        /** True while a session receives files for the table: its sender may rely on the file. */
        boolean isReceiving()
        {
            return table != null && MergeInTask.instance.isReceiving(table);
        }
    }

    /** By {@link #key}, oldest first. */
    private static final Map<Long, Retained> RETAINED = new LinkedHashMap<>();
    private static boolean recovered;

    private RetainedFiles()
    {
    }

    /** The key of a file in gossip. */
    static long key(TableId table, String name, long bytes)
    {
        return Hashing.murmur3_128().hashString(table + " " + name + ' ' + bytes, UTF_8).asLong();
    }

    /** @return which files a peer has retained; none if it does not run the plug-in */
    static Predicate<ShipmentFile> of(InetAddressAndPort peer, TableId table)
    {
        Set<Long> keys = RetainedFilesGossip.of(peer);
        return file -> file.kind() == ShipmentFile.Kind.WHOLE && keys.contains(key(table, file.name(), file.bytes()));
    }

    /**
     * Takes over the retained files of an earlier process, and the verified files of sessions that ended with it;
     * deletes the other files of these. Only the first call has an effect, before there are sessions. The checksum of a
     * file is computed again when it is taken, in case a power failure has damaged it.
     */
    static synchronized void recover(Store store)
    {
        if (recovered)
            return;
        recovered = true;
        listed(StoreFolders.formerlyRetained(store)).forEach(RetainedFiles::retainAgain);
        listed(StoreFolders.retained(store)).forEach(RetainedFiles::retainAgain);
        for (Path folder : listed(StoreFolders.incoming(store)))
            IncomingShipment.tableOf(folder).ifPresent(table -> retainWhole(store, table, folder));
        ScratchFolder.delete(StoreFolders.incoming(store));
        publish();
        if (!RETAINED.isEmpty())
            logger.info("{} files ({}) of streams that ended with an earlier process are retained for the next try", RETAINED.size(),
                        FBUtilities.prettyPrintMemory(bytes()));
    }

    private static void retainAgain(Path file)
    {
        Matcher name = NAME.matcher(file.getFileName().toString());
        if (!name.matches())
            return;
        TableId table = name.group(1) == null ? null : TableId.fromString(name.group(1));
        RETAINED.put(Long.parseUnsignedLong(name.group(2), HEXADECIMAL), new Retained(file, table));
    }

    private static void retainWhole(Store store, TableId table, Path folder)
    {
        for (Path file : listed(folder))
            if (ShipmentFile.isWhole(file.getFileName().toString()))
                retain(store, table, file, file.toFile().length());
    }

    /** The entries of a folder; none if it cannot be read, because retained files only save work. */
    private static List<Path> listed(Path folder)
    {
        if (!Files.isDirectory(folder))
            return List.of();
        try (Stream<Path> contents = Files.list(folder))
        {
            return contents.collect(Collectors.toList());
        }
        catch (IOException | UncheckedIOException e)
        {
            logger.warn("{} cannot be read: files that are retained there will be sent again", folder, e);
            return List.of();
        }
    }

    /** Takes over a verified file of a failed session, unless the device is nearly full. */
    static synchronized void retain(Store store, TableId table, Path file, long bytes)
    {
        long key = key(table, file.getFileName().toString(), bytes);
        if (RETAINED.containsKey(key) || RETAINED.size() >= RetainedFilesGossip.LIMIT || StagingSpace.isShort(store))
            return;
        Path path = StoreFolders.retained(store).resolve(table + "-" + Long.toHexString(key));
        try
        {
            Files.createDirectories(path.getParent());
            Files.move(file, path, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (IOException e)
        {
            logger.warn("{} cannot be retained and will be sent again", file, e);
            return;
        }
        RETAINED.put(key, new Retained(path, table));
    }

    /**
     * Moves a retained file into the folder of a session.
     *
     * @throws IOException if it is not retained any more
     */
    static synchronized void take(TableId table, StreamHeader header, Path destination) throws IOException
    {
        long key = key(table, header.name, header.bytes);
        Retained retained = RETAINED.get(key);
        if (retained == null)
            throw new IOException(header + " is not retained here any more; the next try gets it in full");
        Files.move(retained.path, destination, StandardCopyOption.ATOMIC_MOVE);
        RETAINED.remove(key);
        publish();
    }

    /** Publishes the present keys by gossip, soon. */
    static void publish()
    {
        RetainedFilesGossip.publish(RetainedFiles::keys);
    }

    private static synchronized Collection<Long> keys()
    {
        return new ArrayList<>(RETAINED.keySet());
    }

    /** Deletes files that are old and that no session relies on, and all files if the store needs the space. */
    static void expire(Store store)
    {
        expire(store, System.nanoTime());
    }

    static synchronized void expire(Store store, long nowNanos)
    {
        if (!RETAINED.isEmpty() && StagingSpace.isShort(store))
            delete(new ArrayList<>(RETAINED.values()), "to make space");
        delete(unused(retained -> nowNanos - retained.sinceNanos >= LIFE_NANOS), "that were not tried again");
    }

    /** @return bytes on the device */
    static synchronized long bytes()
    {
        return bytes(RETAINED.values());
    }

    private static long bytes(Collection<Retained> some)
    {
        return some.stream().mapToLong(retained -> retained.path.toFile().length()).sum();
    }

    /** Deletes all files that no session relies on: a session would fail at the first one missing. */
    static synchronized void deleteUnused()
    {
        delete(unused(retained -> true), "to make space");
    }

    /**
     * Those that no session relies on. While one is being prepared there are none: its sender is choosing what not to
     * send, and its tables are not known yet.
     */
    private static Collection<Retained> unused(Predicate<Retained> which)
    {
        Collection<Retained> some = new ArrayList<>(RETAINED.values());
        some.removeIf(retained -> !which.test(retained) || retained.isReceiving());
        return some.isEmpty() || Streams.isAnyBeingPrepared() ? List.of() : some;
    }

    private static void delete(Collection<Retained> some, String why)
    {
        if (some.isEmpty())
            return;
        long bytes = bytes(some);
        RETAINED.values().removeAll(some);
        publish();
        some.forEach(retained -> ScratchFolder.delete(retained.path));
        logger.info("Deleted {} files of failed streams {}: {}", some.size(), why, FBUtilities.prettyPrintMemory(bytes));
    }
}
