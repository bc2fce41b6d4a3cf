/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.spring;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.springframework.data.cassandra.core.mapping.MapId;
import org.springframework.data.cassandra.repository.AllowFiltering;
import org.springframework.data.cassandra.repository.CassandraRepository;
import org.springframework.data.cassandra.repository.Query;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.Slice;

/** Its queries come from the names of its methods. */
public interface VisitRepository extends CassandraRepository<Visit, MapId>
{
    List<Visit> findByCity(String city);

    List<Visit> findByCityAndAtGreaterThanEqual(String city, Instant from);

    Optional<Visit> findByCityAndAt(String city, Instant at);

    List<Visit> findByGuest(String guest);

    @AllowFiltering
    List<Visit> findByNights(int nights);

    Slice<Visit> findByCity(String city, Pageable page);

    @Query("SELECT count(*) FROM visit WHERE city IN (?0, ?1)")
    long countOfTwo(String one, String another);
}
