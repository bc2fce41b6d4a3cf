/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import org.apache.cassandra.config.CassandraRelevantProperties;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.config.InheritingClass;
import org.apache.cassandra.config.ParameterizedClass;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.NativeLibrary;
import io.cassiterite.engine.Store;
import io.cassiterite.frontdoor.FrontDoor;
import io.cassiterite.frontdoor.FrontDoorMode;
import io.cassiterite.node.CommitLogArchiving;
import io.cassiterite.node.CommitLogParameter;
import io.cassiterite.node.EngineTable;
import io.cassiterite.node.NodeStore;
import io.cassiterite.node.Parameters;
import io.cassiterite.node.StoreDirectory;
import io.cassiterite.node.StoreIdentity;
import io.cassiterite.node.UnreadFiles;
import io.cassiterite.reflect.PrivateMember;
import io.cassiterite.schema.DefaultMemtable;
import io.cassiterite.tools.SnapshotLoad;

/** Collects {@link StartFacts} from a node whose system tables can be read and whose user schema is not loaded yet. */
final class StartInspection
{
    private static final String DEFAULT_CLASS = "SkipListMemtable";
    private static final int JMX_PORT = 7199;

    private StartInspection()
    {
    }

    /** @throws ConfigurationException if something cannot be read that decides about the start */
    static StartFacts inspect()
    {
        StartFacts facts = new StartFacts();
        Map<String, ParameterizedClass> configurations = configurations(DatabaseDescriptor.getMemtableConfigurations());
        facts.cassandraVersion = FBUtilities.getReleaseVersionString();
        facts.missingMembers = PrivateMember.missing(PrivateMember.Use.NODE);
        configurations.forEach((name, configuration) -> facts.memtableClasses.put(name, configuration.class_name));
        facts.queryHandler = CassandraRelevantProperties.CUSTOM_QUERY_HANDLER_CLASS.getString();
        facts.defaultMemtable = DefaultMemtable.configurationName();
        facts.partitioner = DatabaseDescriptor.getPartitioner().getClass().getSimpleName();
        facts.archiving = CommitLogArchiving.configured();
        facts.ambiguousRestore = CommitLogArchiving.ambiguity();
        addTables(facts, "tables", "table_name");
        addTables(facts, "views", "view_name");
        Map<String, Map<String, String>> engines = engines(facts, configurations);
        addDisk(facts, engines);
        if (!facts.entering().isEmpty())
            EntryObstacles.addTo(facts);
        facts.libraryError = libraryError(facts);
        if (facts.parametersError == null && facts.storeDirectory != null && facts.libraryError == null)
            facts.parametersError = parametersError(engines);
        facts.frontDoor = frontDoor(engines);
        return facts;
    }

    /** A range read: unlike a read by key it does not need the storage hook, which is being constructed. */
    private static void addTables(StartFacts facts, String schemaTable, String nameColumn)
    {
        String query = String.format("SELECT keyspace_name, %s, id, memtable, cdc FROM %s.%s",
                                     nameColumn, SchemaConstants.SCHEMA_KEYSPACE_NAME, schemaTable);
        for (UntypedResultSet.Row row : QueryProcessor.executeOnceInternal(query))
        {
            String keyspace = row.getString("keyspace_name");
            if (SchemaConstants.isLocalSystemKeyspace(keyspace))
                continue;
            String memtable = row.has("memtable") ? row.getString("memtable") : null;
            StartFacts.SchemaTable table = new StartFacts.SchemaTable(keyspace + '.' + row.getString(nameColumn),
                                                                      row.getUUID("id").toString(),
                                                                      memtable);
            table.cdc = row.has("cdc") && row.getBoolean("cdc");
            facts.tables.add(table);
        }
    }

    /** @return the store's parameters by the engine's configurations, without one whose parameters are not possible */
    private static Map<String, Map<String, String>> engines(StartFacts facts, Map<String, ParameterizedClass> configurations)
    {
        Map<String, Map<String, String>> engines = new LinkedHashMap<>();
        configurations.forEach((name, configuration) -> {
            if (!EngineTable.isConfiguration(configuration.class_name))
                return;
            try
            {
                Map<String, String> parameters = Parameters.of(configuration.parameters);
                if (CommitLogParameter.isOn(parameters))
                    facts.inCommitLog.add(name);
                engines.put(name, CommitLogParameter.without(parameters));
            }
            catch (IllegalArgumentException e)
            {
                facts.parametersError = refusal(name, e);
            }
        });
        return engines;
    }

    private static String refusal(String configuration, RuntimeException cause)
    {
        return "the memtable configuration '" + configuration + "': " + cause.getMessage() + '.';
    }

    private static void addDisk(StartFacts facts, Map<String, Map<String, String>> engines)
    {
        try
        {
            for (String directory : DatabaseDescriptor.getNonLocalSystemKeyspacesDataFileLocations())
                facts.markers.addAll(TableMarker.readAll(Path.of(directory)));

            for (Map<String, String> parameters : engines.values())
                facts.storeDirectory = StoreDirectory.of(parameters).toString();
            if (facts.storeDirectory != null)
                facts.storeId = StoreIdentity.read(Path.of(facts.storeDirectory));
            addUnreadFiles(facts);
        }
        catch (IOException e)
        {
            throw new ConfigurationException("Cassiterite: this node must not start, because it cannot be told where its " +
                                             "tables are: " + e, e);
        }
    }

    private static void addUnreadFiles(StartFacts facts) throws IOException
    {
        Path store = facts.storeDirectory == null ? null : Path.of(facts.storeDirectory);
        for (String directory : DatabaseDescriptor.getAllDataFileLocations())
            facts.unreadFiles.addAll(UnreadFiles.findAll(Path.of(directory).toAbsolutePath().normalize(), store));
        facts.inspectedMillis = Clock.Global.currentTimeMillis();
        CodeSource source = StartInspection.class.getProtectionDomain().getCodeSource();
        facts.loadCommand = loadCommand(source == null ? null : source.getLocation());
    }

    /** @param jar where it is, or null if that is not known */
    static String loadCommand(URL jar)
    {
        return String.format("java -cp %s %s 127.0.0.1 %s", UnreadFilesRefusal.quoted(jar(jar)), SnapshotLoad.class.getName(), jmxPort());
    }

    private static Path jar(URL location)
    {
        try
        {
            return location == null ? Path.of("cassiterite-5.0.jar") : Path.of(location.toURI());
        }
        catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e)
        {
            return Path.of(location.getPath()); // a location that is no URI is not encoded either
        }
    }

    private static int jmxPort()
    {
        int remote = CassandraRelevantProperties.CASSANDRA_JMX_REMOTE_PORT.getInt(0);
        return remote != 0 ? remote : CassandraRelevantProperties.CASSANDRA_JMX_LOCAL_PORT.getInt(JMX_PORT);
    }

    private static String libraryError(StartFacts facts)
    {
        if (facts.storeDirectory == null)
            return null;
        try
        {
            NativeLibrary.load();
            return null;
        }
        catch (Throwable t) // also UnsatisfiedLinkError and failures of class initialization
        {
            return t.toString();
        }
    }

    /** Cassandra itself reads a configuration when a table first uses it. */
    private static String parametersError(Map<String, Map<String, String>> engines)
    {
        Map<String, String> first = null;
        for (Map.Entry<String, Map<String, String>> engine : engines.entrySet())
        {
            if (first != null && !first.equals(engine.getValue()))
                return NodeStore.disagreement(first, engine.getValue());
            first = engine.getValue();
            try
            {
                Store.check(NodeStore.options(first));
            }
            catch (EngineException | IllegalArgumentException e)
            {
                return refusal(engine.getKey(), e);
            }
        }
        return null;
    }

    private static String frontDoor(Map<String, Map<String, String>> engines)
    {
        String off = FrontDoorMode.OFF.parameter();
        for (Map.Entry<String, Map<String, String>> engine : engines.entrySet())
            if (!engine.getValue().getOrDefault(FrontDoor.PARAMETER, off).equals(off))
                return engine.getKey();
        return null;
    }

    /** @return the memtable configurations of cassandra.yaml with inheritance resolved and "default" included */
    static Map<String, ParameterizedClass> configurations(Map<String, InheritingClass> definitions)
    {
        Map<String, ParameterizedClass> resolved = new LinkedHashMap<>();
        Map<String, InheritingClass> open = new HashMap<>(definitions == null ? Map.of() : definitions);
        if (!open.containsKey(StartFacts.DEFAULT_CONFIGURATION))
            resolved.put(StartFacts.DEFAULT_CONFIGURATION, new ParameterizedClass(DEFAULT_CLASS, null));

        boolean progress = true;
        while (progress)
        {
            int before = open.size();
            open.entrySet().removeIf(entry -> resolve(entry.getKey(), entry.getValue(), resolved));
            progress = open.size() < before;
        }
        if (!open.isEmpty())
            throw new ConfigurationException("memtable configurations inherit from each other or from unknown ones: " + open.keySet());
        return resolved;
    }

    private static boolean resolve(String name, InheritingClass definition, Map<String, ParameterizedClass> resolved)
    {
        if (definition.inherits != null && !resolved.containsKey(definition.inherits))
            return false;
        resolved.put(name, definition.resolve(resolved));
        return true;
    }
}
