/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.spring;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

import org.springframework.data.cassandra.core.cql.Ordering;
import org.springframework.data.cassandra.core.cql.PrimaryKeyType;
import org.springframework.data.cassandra.core.mapping.Indexed;
import org.springframework.data.cassandra.core.mapping.PrimaryKeyColumn;
import org.springframework.data.cassandra.core.mapping.Table;
import org.springframework.data.cassandra.core.mapping.UserDefinedType;

/** An entity with a key of two columns, collections and a user type. */
@Table("visit")
public record Visit(@PrimaryKeyColumn(ordinal = 0, type = PrimaryKeyType.PARTITIONED) String city,
                    @PrimaryKeyColumn(ordinal = 1, type = PrimaryKeyType.CLUSTERED, ordering = Ordering.DESCENDING) Instant at,
                    @Indexed String guest, int nights, BigDecimal price, Set<String> tags, Map<String, Integer> extras, Address address)
{
    /** A user type. */
    @UserDefinedType("visit_address")
    public record Address(String street, int zip)
    {
    }
}
