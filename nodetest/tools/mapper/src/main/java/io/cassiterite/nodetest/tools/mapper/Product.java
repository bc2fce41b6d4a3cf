/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.mapper;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.datastax.oss.driver.api.mapper.annotations.ClusteringColumn;
import com.datastax.oss.driver.api.mapper.annotations.CqlName;
import com.datastax.oss.driver.api.mapper.annotations.Entity;
import com.datastax.oss.driver.api.mapper.annotations.PartitionKey;
import com.datastax.oss.driver.api.mapper.annotations.PropertyStrategy;
import com.datastax.oss.driver.api.mapper.entity.naming.GetterStyle;

/** An entity of the driver's mapper. */
@Entity
@PropertyStrategy(getterStyle = GetterStyle.FLUENT, mutable = false)
public record Product(@PartitionKey String shop, @ClusteringColumn(0) int shelf, @ClusteringColumn(1) UUID id, String name, Instant since,
                      List<String> labels, Map<String, Size> sizes, @CqlName("in_stock") Integer stock)
{
    /** A user type. */
    @Entity
    @CqlName("size")
    @PropertyStrategy(getterStyle = GetterStyle.FLUENT, mutable = false)
    public record Size(int length, int width)
    {
    }
}
