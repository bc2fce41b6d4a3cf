/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A node's key for its clients, and those that trust it; made by the JDK's keytool. */
final class ClientKeys
{
    private static final String PASSWORD = "cassiterite";

    private final Path folder;
    private int made;

    private ClientKeys(Path folder)
    {
        this.folder = folder;
    }

    /**
     * Creates the first key, in a folder beside the nodes'.
     *
     * @param algorithm RSA or EC
     */
    static ClientKeys create(String name, String algorithm)
    {
        Path folder = Checkout.nodes().resolve(name);
        Checkout.delete(folder);
        ClientKeys keys = new ClientKeys(folder);
        try
        {
            Files.createDirectories(folder);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        keys.renew(algorithm);
        return keys;
    }

    private Path file(String name)
    {
        return folder.resolve(name);
    }

    /** Puts another key in the place of the node's. @return a context that trusts none but this one */
    SSLContext renew(String algorithm)
    {
        String own = ++made + ".p12";
        try
        {
            keytool(own, "-genkeypair", "-alias", "node", "-keyalg", algorithm, "-keysize", algorithm.equals("EC") ? "256" : "2048",
                    "-validity", "30", "-dname", "CN=node" + made);
            keytool(own, "-exportcert", "-alias", "node", "-file", file(made + ".cer").toString());
            keytool(made + "-trusted.p12", "-importcert", "-noprompt", "-alias", "node", "-file", file(made + ".cer").toString());
            Files.copy(file(own), file("next"));
            Files.move(file("next"), file("node.p12"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return trusting();
    }

    /** @return a context that trusts none but the newest key */
    SSLContext trusting()
    {
        return context(null);
    }

    /** @return the same, of a client that has that key itself */
    SSLContext identity()
    {
        try
        {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store("node.p12"), PASSWORD.toCharArray());
            return context(factory.getKeyManagers());
        }
        catch (GeneralSecurityException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** @return lines of client_encryption_options: whoever has the newest key is known */
    String truststore()
    {
        return "truststore: " + file(made + "-trusted.p12") + "\n  truststore_password: " + PASSWORD;
    }

    private SSLContext context(KeyManager[] own)
    {
        try
        {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store(made + "-trusted.p12"));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own, factory.getTrustManagers(), null);
            return context;
        }
        catch (GeneralSecurityException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private KeyStore store(String name) throws GeneralSecurityException
    {
        try (InputStream stored = Files.newInputStream(file(name)))
        {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(stored, PASSWORD.toCharArray());
            return store;
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private void keytool(String store, String... arguments) throws IOException
    {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", file(store).toString(), "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.onExit().join().exitValue(), output);
    }

    /**
     * Makes a node speak TLS with clients.
     *
     * @param options further lines of client_encryption_options
     */
    NodeBuilder on(NodeBuilder node, String... options)
    {
        List<String> lines = new ArrayList<>(List.of("",
            "  enabled: true",
            "  store_type: PKCS12",
            "  keystore: " + file("node.p12"),
            "  keystore_password: " + PASSWORD));
        for (String option : options)
            lines.add("  " + option);
        return node.yaml("client_encryption_options", String.join("\n", lines));
    }
}
