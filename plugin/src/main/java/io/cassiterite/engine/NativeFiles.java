/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The engine's two libraries in a directory of their own, which only this user may read: the engine finds RocksDB
 * beside itself. They are deleted when the process ends; the next process deletes those of a crashed one.
 */
final class NativeFiles
{
    /** Names the directory to unpack into; by default java.io.tmpdir. */
    static final String DIRECTORY_PROPERTY = "cassiterite.native_directory";

    private static final String ENGINE = "libcassiterite.so";
    private static final String ROCKSDB = "librocksdb.so";
    private static final String RESOURCES = "/io/cassiterite/native/linux-x86_64/";
    private static final Pattern UNPACKED = Pattern.compile("cassiterite-native-(\\d+)-.*");

    private final Path library;
    private final String rocksdbSource;
    private final String rocksdbSha256;

    private NativeFiles(Path library, String rocksdbSource, String rocksdbSha256)
    {
        this.library = library;
        this.rocksdbSource = rocksdbSource;
        this.rocksdbSha256 = rocksdbSha256;
    }

    /** @return the engine's library, ready to be loaded */
    Path library()
    {
        return library;
    }

    /** @return where RocksDB was taken from, for a message */
    String rocksdbSource()
    {
        return rocksdbSource;
    }

    /** @return the SHA-256 of RocksDB's library, in hexadecimal digits */
    String rocksdbSha256()
    {
        return rocksdbSha256;
    }

    /** @param override the engine's file where it is not the jar's, or null */
    static NativeFiles unpack(String override) throws IOException
    {
        Path base = Path.of(System.getProperty(DIRECTORY_PROPERTY, System.getProperty("java.io.tmpdir"))).toAbsolutePath();
        removeLeftovers(base);
        String prefix = "cassiterite-native-" + ProcessHandle.current().pid() + '-';
        Path directory = Files.createTempDirectory(base, prefix,
                                                   PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        directory.toFile().deleteOnExit();

        Path given = override == null || override.isEmpty() ? null : Path.of(override).toAbsolutePath();
        Path besideGiven = given == null ? null : given.resolveSibling(ROCKSDB);
        Path rocksdb = besideGiven != null && Files.exists(besideGiven) ? besideGiven : null;
        Path unpacked = directory.resolve(ROCKSDB);
        copy(rocksdb, unpacked);
        Path library = directory.resolve(ENGINE);
        copy(given, library);
        return new NativeFiles(library, rocksdb == null ? "the jar's " + ROCKSDB : rocksdb.toString(), sha256(unpacked));
    }

    private static void copy(Path source, Path target) throws IOException
    {
        target.toFile().deleteOnExit();
        if (source != null)
        {
            Files.copy(source, target);
            return;
        }
        String resource = RESOURCES + target.getFileName();
        try (InputStream in = NativeFiles.class.getResourceAsStream(resource))
        {
            if (in == null)
                throw new NoSuchFileException(resource, null, "not in the jar");
            Files.copy(in, target);
        }
    }

    private static String sha256(Path file) throws IOException
    {
        try (InputStream in = Files.newInputStream(file))
        {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            in.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            return String.format("%064x", new BigInteger(1, digest.digest()));
        }
        catch (NoSuchAlgorithmException e)
        {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private static void removeLeftovers(Path base) throws IOException
    {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(base, "cassiterite-native-*"))
        {
            for (Path entry : entries)
            {
                Matcher matcher = UNPACKED.matcher(entry.getFileName().toString());
                if (matcher.matches() && isLeftover(Long.parseLong(matcher.group(1))))
                    remove(entry);
            }
        }
        catch (NumberFormatException e)
        {
            // not the plug-in's: it stays
        }
    }

    /** In a container a crashed process may have had the same number as this one, which has unpacked nothing yet. */
    private static boolean isLeftover(long pid)
    {
        return pid == ProcessHandle.current().pid() || ProcessHandle.of(pid).isEmpty();
    }

    /** Best effort: what belongs to another user cannot be removed, and need not be. */
    private static void remove(Path directory)
    {
        for (String name : List.of(ENGINE, ROCKSDB, "."))
        {
            try
            {
                Files.deleteIfExists(directory.resolve(name).normalize());
            }
            catch (IOException e)
            {
                return;
            }
        }
    }
}
