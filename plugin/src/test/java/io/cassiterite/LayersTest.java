/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.cassiterite.engine.Store;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** A package uses packages of the floors below it, and no other. */
class LayersTest
{
    private static final String ROOT = "io.cassiterite.";

    /** From the top down. Packages on one floor do not know each other. */
    private static final List<List<String>> FLOORS = List.of(List.of("lifecycle"),
                                                             List.of("tools", "observe.nodetool"),
                                                             List.of("observe.metrics"),
                                                             List.of("observe", "observe.tables"),
                                                             List.of("frontdoor"),
                                                             List.of("frontdoor.desk"),
                                                             List.of("move"),
                                                             List.of("frontdoor.recipe", "frontdoor.tls", "stream", "repair"),
                                                             List.of("schema", "index"),
                                                             List.of("memtable"),
                                                             List.of("node"),
                                                             List.of("engine", "reflect"));

    private static JavaClasses classes;

    @BeforeAll
    static void read() throws URISyntaxException
    {
        Path compiled = Path.of(Store.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        classes = new ClassFileImporter().importPath(compiled);
    }

    @Test
    void packagesUseLowerFloorsOnly()
    {
        LayeredArchitecture house = Architectures.layeredArchitecture().consideringOnlyDependenciesInLayers()
                                                 .ensureAllClassesAreContainedInArchitecture();
        for (List<String> floor : FLOORS)
            for (String name : floor)
                house = house.layer(name).definedBy(ROOT + name);
        for (int i = 0; i < FLOORS.size(); i++)
            for (String name : FLOORS.get(i))
                house = allow(house.whereLayer(name), FLOORS.subList(i + 1, FLOORS.size()));
        house.check(classes);
    }

    private static LayeredArchitecture allow(LayeredArchitecture.LayerDependencySpecification layer, List<List<String>> lower)
    {
        String[] names = lower.stream().flatMap(List::stream).toArray(String[]::new);
        return names.length == 0 ? layer.mayNotAccessAnyLayer() : layer.mayOnlyAccessLayers(names);
    }

    @Test
    void packagesFormNoCycle()
    {
        slices().matching(ROOT + "(**)").should().beFreeOfCycles().check(classes);
    }
}
