/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.mapper;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;

/** An application of the Java driver's mapper: Shops HOST PORT KEYSPACE. It prints what each step gave. */
public final class Shops
{
    private static final int PRODUCTS = 300;
    private static final int SHOPS = 6;
    private static final Duration BOUND = Duration.ofMinutes(1);
    private static final List<String> TABLES = List.of(
        "CREATE TYPE size (length int, width int)",
        "CREATE TABLE product (shop text, shelf int, id uuid, name text, since timestamp, labels list<text>,"
        + " sizes map<text, frozen<size>>, in_stock int, PRIMARY KEY (shop, shelf, id))",
        "CREATE INDEX product_name ON product (name)");

    private final CqlSession session;
    private final ProductDao products;

    private Shops(CqlSession session, ProductDao products)
    {
        this.session = session;
        this.products = products;
    }

    public static void main(String[] arguments)
    {
        DriverConfigLoader bounds = DriverConfigLoader.programmaticBuilder()
                                                      .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, BOUND)
                                                      .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, 20).build();
        try (CqlSession session = CqlSession.builder()
                                            .addContactPoint(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])))
                                            .withLocalDatacenter("datacenter1").withKeyspace(arguments[2]).withConfigLoader(bounds).build())
        {
            TABLES.forEach(session::execute);
            Shops shops = new Shops(session, Shop.of(session).build().products(CqlIdentifier.fromCql(arguments[2])));
            shops.write();
            shops.ask();
            shops.change();
            shops.ask();
        }
    }

    private static Product product(int i)
    {
        return new Product("shop " + i % SHOPS, i % 20, id(i), "name " + i % 17, Instant.ofEpochSecond(1_700_000_000L + i),
                           List.of("label " + i % 3, "all"), new TreeMap<>(Map.of("box", new Product.Size(i, i + 1))),
                           i % 4 == 3 ? null : i);
    }

    private static UUID id(int i)
    {
        return new UUID(0x4000, i);
    }

    private void write()
    {
        for (int i = 0; i < PRODUCTS - 20; i++)
            products.save(product(i));
        BatchStatementBuilder batch = BatchStatement.builder(BatchType.LOGGED);
        for (int i = PRODUCTS - 20; i < PRODUCTS; i++)
            batch.addStatement(products.toSave(product(i)));
        session.execute(batch.build());
    }

    private void ask()
    {
        print("all", products.all().all().stream().map(Product::toString).sorted().toList());
        for (int i = 0; i < SHOPS; i++)
        {
            print("shop", products.ofShop("shop " + i).all());
            print("shelves", products.ofShelves("shop " + i, 5, 9).all());
            print("count", products.countOf("shop " + i));
        }
        print("name", products.byName("name 5").all().stream().map(Product::toString).sorted().toList());
        print("one", products.byKey("shop 1", 7, id(7)));
        print("none", products.byKey("shop 1", 8, id(7)));
    }

    private void change()
    {
        print("there", products.saveIfNew(product(3)));
        print("new", products.saveIfNew(product(PRODUCTS)));
        products.saveFor(product(PRODUCTS + 1), 1_000_000, 123_456L);
        // a null column of an entity deletes or is left alone, as the driver's strategy says
        products.update(new Product("shop 5", 11, id(11), "renamed", null, null, null, 1));
        print("more", products.updateIfMore(product(4), 3).wasApplied());
        print("not more", products.updateIfMore(product(4), 4).wasApplied());
        print("there", products.updateIfThere(product(9)));
        print("not there", products.updateIfThere(product(PRODUCTS + 2)));
        products.delete(product(17));
        products.deleteShelf("shop 2", 8);
        print("deleted", products.deleteIfThere("shop 1", 1, id(1)));
        print("not deleted", products.deleteIfThere("shop 1", 1, id(1)));
    }

    private static void print(String step, Object result)
    {
        System.out.println("> " + step + ": " + result);
    }
}
