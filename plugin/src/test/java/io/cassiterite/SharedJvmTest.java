/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.elements.ClassesShould;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.DatabaseDescriptor;

import io.cassiterite.memtable.TestNode;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Test classes that share a JVM leave alone what the others would notice. */
class SharedJvmTest
{
    /** Classes with state of the whole JVM, and the tests' own that change such. */
    private static final Set<String> STATEFUL = Set.of("ActiveRepairService", "ColumnAges", "EngineTables", "Gossiper", "GuardedNode",
                                                       "ManagerInstaller", "MergeInTask", "NodeStore", "RepairSnapshots", "RetainedFiles",
                                                       "Schema", "StagingBlocks", "StagingSpace", "StorageService", "StreamHistory",
                                                       "TestSchema", "TestTables", "TransportState");

    private static final DescribedPredicate<JavaClass> SHARED = describe("share a JVM", type -> isShared(outermost(type)));

    private static JavaClasses classes;

    @BeforeAll
    static void read() throws URISyntaxException
    {
        Path compiled = Path.of(SharedJvmTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        classes = new ClassFileImporter().importPath(compiled);
    }

    private static JavaClass outermost(JavaClass type)
    {
        return type.getEnclosingClass().map(SharedJvmTest::outermost).orElse(type);
    }

    private static boolean isShared(JavaClass type)
    {
        return type.getSimpleName().matches(".*(Test|Properties)") && !type.isAnnotatedWith(OwnJvm.class);
    }

    private static boolean changesTheJvm(JavaAccess<?> call)
    {
        String method = call.getTarget().getName();
        JavaClass owner = call.getTargetOwner();
        return method.startsWith("set") && (owner.isEquivalentTo(System.class) || owner.isEquivalentTo(DatabaseDescriptor.class)) ||
               method.equals("initializeWith") && owner.isEquivalentTo(TestNode.class);
    }

    private static ClassesShould sharedClassesShouldNot()
    {
        return noClasses().that(SHARED).should();
    }

    @Test
    void theyDoNotUseWhatIsStatic()
    {
        sharedClassesShouldNot().dependOnClassesThat(describe("have state of the JVM", type -> STATEFUL.contains(type.getSimpleName())))
                                .because("others share the JVM: @OwnJvm").check(classes);
    }

    @Test
    void theyDoNotSetUpTheJvmInAWayOfTheirOwn()
    {
        sharedClassesShouldNot().callMethodWhere(describe("it sets up the JVM", SharedJvmTest::changesTheJvm))
                                .because("others share the JVM: @OwnJvm").check(classes);
    }
}
