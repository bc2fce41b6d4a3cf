/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.cassiterite.engine.EngineException.Kind;

/**
 * Loads the engine, once per process: out of the jar, or the file named by {@link #LIBRARY_PROPERTY}. It never calls
 * {@link Native}, whose initializer calls it.
 */
public final class NativeLibrary
{
    /** The version of this jar; the library must have the same. */
    public static final String VERSION = ownVersion();

    /** Names a library file to load instead of the one in the jar, for tests. */
    public static final String LIBRARY_PROPERTY = "cassiterite.native_library";

    private static boolean isLoaded;
    private static EngineException failure;

    /** Set by the library while it is being loaded. */
    private static String libraryVersion;

    /** The SHA-256 of the librocksdb.so that the library was built for. Set with the version. */
    private static String libraryRocksdb;

    private NativeLibrary()
    {
    }

    /**
     * Loads the engine if that has not been tried yet.
     *
     * @throws EngineException if it cannot be loaded, the same again at every call
     */
    public static synchronized void load()
    {
        if (isLoaded)
            return;
        if (failure == null)
        {
            try
            {
                requirePlatform(System.getProperty("os.name"), System.getProperty("os.arch"));
                NativeFiles files = loadFiles();
                requireVersion(libraryVersion);
                requireRocksdb(files, libraryRocksdb);
                isLoaded = true;
                return;
            }
            catch (EngineException e)
            {
                failure = e;
            }
        }
        throw failure;
    }

    static void requirePlatform(String os, String architecture)
    {
        if (!"Linux".equals(os) || !("amd64".equals(architecture) || "x86_64".equals(architecture)))
            throw new EngineException(Kind.INVALID, "Cassiterite runs on Linux on x86_64 only, not on " + os + " on " + architecture);
    }

    private static String ownVersion()
    {
        try (InputStream version = NativeLibrary.class.getResourceAsStream("VERSION"))
        {
            return version == null ? "of no version" : new String(version.readAllBytes(), StandardCharsets.US_ASCII).trim();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    static void requireVersion(String version)
    {
        if (!VERSION.equals(version))
            throw new EngineException(Kind.INVALID, "the jar is Cassiterite " + VERSION + ", the native library is " + version +
                                                    "; remove -D" + LIBRARY_PROPERTY + " or install matching files");
    }

    /** The version alone would accept another build of the same RocksDB, whose classes may have another layout. */
    private static void requireRocksdb(NativeFiles files, String sha256)
    {
        if (!files.rocksdbSha256().equals(sha256))
            throw new EngineException(Kind.INVALID, files.rocksdbSource() +
                                      " is not the library that the engine was built for: its SHA-256 is " +
                                                    files.rocksdbSha256() + ", not " + sha256 + "; put the librocksdb.so that came with " +
                                                    "the engine in its place, or install the jar anew");
    }

    private static NativeFiles loadFiles()
    {
        NativeFiles files = null;
        try
        {
            files = NativeFiles.unpack(System.getProperty(LIBRARY_PROPERTY));
            System.load(files.library().toString());
            return files;
        }
        catch (IOException e)
        {
            throw new EngineException(Kind.IO, "the native library cannot be unpacked: " + e +
                                               "; name a writable directory with -D" + NativeFiles.DIRECTORY_PROPERTY, e);
        }
        catch (LinkageError e)
        {
            throw new EngineException(Kind.INVALID, explain(e, files.library()), e);
        }
    }

    /** @return what an operator can do about a library that the system refuses */
    static String explain(LinkageError error, Path library)
    {
        String message = String.valueOf(error.getMessage());
        String advice;
        if (message.contains("failed to map segment") || message.contains("Operation not permitted"))
            advice = "its directory is on a file system mounted noexec; name another with -D" + NativeFiles.DIRECTORY_PROPERTY;
        else if (message.contains("GLIBC"))
            advice = "this system's C or C++ library is older than the one it was built for";
        else if (message.contains("ld-linux") || message.contains("musl"))
            advice = "this system has no glibc";
        else if (message.contains("undefined symbol"))
            advice = "the librocksdb.so beside it is not the one that it was built for; install the jar anew";
        else if (message.contains("already loaded"))
            advice = "another class loader of this process has the plug-in too; install its jar once";
        else
            advice = "see the message of the system's linker";
        return "the native library " + library + " cannot be loaded: " + advice + " (" + message + ')';
    }
}
