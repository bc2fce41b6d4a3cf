/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.mapper;

import java.util.UUID;

import com.datastax.oss.driver.api.core.PagingIterable;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.mapper.annotations.Dao;
import com.datastax.oss.driver.api.mapper.annotations.Delete;
import com.datastax.oss.driver.api.mapper.annotations.Insert;
import com.datastax.oss.driver.api.mapper.annotations.Query;
import com.datastax.oss.driver.api.mapper.annotations.Select;
import com.datastax.oss.driver.api.mapper.annotations.Update;

/** The mapper writes the statements of its methods. */
@Dao
public interface ProductDao
{
    @Insert
    void save(Product product);

    @Insert
    BoundStatement toSave(Product product);

    @Insert(ifNotExists = true)
    Product saveIfNew(Product product);

    @Insert(ttl = ":seconds", timestamp = ":stamp")
    void saveFor(Product product, int seconds, long stamp);

    @Select
    Product byKey(String shop, int shelf, UUID id);

    @Select
    PagingIterable<Product> ofShop(String shop);

    @Select(customWhereClause = "shop = :shop AND shelf >= :least AND shelf < :bound", orderBy = { "shelf DESC", "id DESC" })
    PagingIterable<Product> ofShelves(String shop, int least, int bound);

    @Select(customWhereClause = "name = :name")
    PagingIterable<Product> byName(String name);

    @Select
    PagingIterable<Product> all();

    @Update
    void update(Product product);

    @Update(customIfClause = "in_stock > :least")
    ResultSet updateIfMore(Product product, int least);

    @Update(ifExists = true)
    boolean updateIfThere(Product product);

    @Delete
    void delete(Product product);

    @Delete(entityClass = Product.class)
    void deleteShelf(String shop, int shelf);

    @Delete(entityClass = Product.class, ifExists = true)
    boolean deleteIfThere(String shop, int shelf, UUID id);

    @Query("SELECT count(*) FROM ${keyspaceId}.product WHERE shop = :shop")
    long countOf(String shop);
}
