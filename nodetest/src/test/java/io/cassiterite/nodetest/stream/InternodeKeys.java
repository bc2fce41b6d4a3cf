/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A key that all nodes of a test have and trust, made by the JDK's keytool. */
final class InternodeKeys
{
    private static final String PASSWORD = "cassiterite";

    private final Path keys;
    private final Path trusted;

    private InternodeKeys(Path folder)
    {
        keys = folder.resolve("keys.p12");
        trusted = folder.resolve("trusted.p12");
    }

    /** Creates them in a folder beside the nodes'. */
    static InternodeKeys create(String name)
    {
        Path folder = Checkout.nodes().resolve(name);
        Checkout.delete(folder);
        InternodeKeys made = new InternodeKeys(folder);
        Path certificate = folder.resolve("node.cer");
        try
        {
            Files.createDirectories(folder);
            keytool("-genkeypair", "-alias", "node", "-keyalg", "RSA", "-keysize", "2048", "-validity", "30", "-dname", "CN=node",
                    "-storetype", "PKCS12", "-keystore", made.keys.toString());
            keytool("-exportcert", "-alias", "node", "-keystore", made.keys.toString(), "-file", certificate.toString());
            keytool("-importcert", "-noprompt", "-alias", "node", "-file", certificate.toString(),
                    "-storetype", "PKCS12", "-keystore", made.trusted.toString());
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return made;
    }

    private static void keytool(String... arguments) throws IOException
    {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.onExit().join().exitValue(), output);
    }

    /** Makes a node encrypt all internode connections. */
    NodeBuilder on(NodeBuilder node)
    {
        return node.yaml("server_encryption_options", String.join("\n",
            "",
            "  internode_encryption: all",
            "  require_client_auth: true",
            "  store_type: PKCS12",
            "  keystore: " + keys,
            "  keystore_password: " + PASSWORD,
            "  truststore: " + trusted,
            "  truststore_password: " + PASSWORD));
    }
}
