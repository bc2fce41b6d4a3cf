/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.spring;

import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import org.springframework.data.cassandra.core.CassandraAdminTemplate;
import org.springframework.data.cassandra.core.CassandraPersistentEntitySchemaCreator;
import org.springframework.data.cassandra.core.InsertOptions;
import org.springframework.data.cassandra.core.UpdateOptions;
import org.springframework.data.cassandra.core.convert.MappingCassandraConverter;
import org.springframework.data.cassandra.core.mapping.CassandraMappingContext;
import org.springframework.data.cassandra.core.mapping.SimpleUserTypeResolver;
import org.springframework.data.cassandra.core.query.CassandraPageRequest;
import org.springframework.data.cassandra.core.query.Criteria;
import org.springframework.data.cassandra.core.query.Query;
import org.springframework.data.cassandra.core.query.Update;
import org.springframework.data.cassandra.repository.support.CassandraRepositoryFactory;
import org.springframework.data.domain.Slice;

/** An application of Spring Data: Visits HOST PORT KEYSPACE. It prints what each step gave. */
public final class Visits
{
    private static final int VISITS = 200;
    private static final int CITIES = 8;
    private static final Duration BOUND = Duration.ofMinutes(1);

    private final CassandraAdminTemplate template;
    private final VisitRepository repository;

    private Visits(CassandraAdminTemplate template)
    {
        this.template = template;
        repository = new CassandraRepositoryFactory(template).getRepository(VisitRepository.class);
    }

    public static void main(String[] arguments)
    {
        DriverConfigLoader bounds = DriverConfigLoader.programmaticBuilder()
                                                      .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, BOUND).build();
        try (CqlSession session = CqlSession.builder()
                                            .addContactPoint(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])))
                                            .withLocalDatacenter("datacenter1").withKeyspace(arguments[2]).withConfigLoader(bounds).build())
        {
            Visits visits = new Visits(template(session));
            visits.write();
            visits.ask();
            visits.change();
            visits.ask();
        }
    }

    /** With the tables of the entities: Spring makes them. */
    private static CassandraAdminTemplate template(CqlSession session)
    {
        CassandraMappingContext entities = new CassandraMappingContext();
        entities.setInitialEntitySet(Set.of(Visit.class, Visit.Address.class));
        entities.afterPropertiesSet();
        MappingCassandraConverter converter = new MappingCassandraConverter(entities);
        converter.setUserTypeResolver(new SimpleUserTypeResolver(session));
        converter.setCodecRegistry(() -> session.getContext().getCodecRegistry());
        converter.afterPropertiesSet();
        CassandraAdminTemplate template = new CassandraAdminTemplate(session, converter);
        CassandraPersistentEntitySchemaCreator schema = new CassandraPersistentEntitySchemaCreator(entities, template);
        schema.createUserTypes(true);
        schema.createTables(true);
        schema.createIndexes(true);
        return template;
    }

    private static Visit visit(int i)
    {
        return new Visit("city " + i % CITIES, at(i), "guest " + i % 13, i % 5 + 1, new BigDecimal("99." + i),
                         new TreeSet<>(List.of("tag " + i % 3, "all")), new TreeMap<>(Map.of("breakfast", i % 2, "dog", 1)),
                         i % 4 == 0 ? null : new Visit.Address("Street " + i, i));
    }

    private static Instant at(int i)
    {
        return Instant.ofEpochSecond(1_700_000_000L + i * 3600L);
    }

    private void write()
    {
        repository.saveAll(IntStream.range(0, VISITS / 2).mapToObj(Visits::visit).toList());
        for (int i = VISITS / 2; i < VISITS - 10; i++)
            template.insert(visit(i));
        template.batchOps().insert(IntStream.range(VISITS - 10, VISITS).mapToObj(Visits::visit).toList()).execute();
    }

    private void ask()
    {
        print("count", repository.count());
        print("all", sorted(repository.findAll()));
        for (int i = 0; i < CITIES; i += 3)
        {
            print("city", repository.findByCity("city " + i));
            print("later", repository.findByCityAndAtGreaterThanEqual("city " + i, at(150)));
        }
        print("guest", sorted(repository.findByGuest("guest 7")));
        print("nights", sorted(repository.findByNights(3)));
        print("two", repository.countOfTwo("city 1", "city 4"));
        print("one", repository.findByCityAndAt("city 1", at(1)).map(Visit::toString));
        print("none", repository.findByCityAndAt("city 1", at(2)));
        Slice<Visit> page = repository.findByCity("city 5", CassandraPageRequest.first(7));
        while (true)
        {
            print("page", page.getContent().stream().map(Visit::at).toList());
            if (!page.hasNext())
                break;
            page = repository.findByCity("city 5", page.nextPageable());
        }
    }

    private static List<String> sorted(Collection<Visit> visits)
    {
        return visits.stream().map(Visit::toString).sorted().toList();
    }

    private static Query of(int i)
    {
        return Query.query(Criteria.where("city").is("city " + i % CITIES), Criteria.where("at").is(at(i)));
    }

    private void change()
    {
        print("inserted", template.insert(visit(3), InsertOptions.builder().withIfNotExists().build()).wasApplied());
        print("inserted", template.insert(visit(VISITS + 1), InsertOptions.builder().withIfNotExists().ttl(1_000_000).build())
                                  .wasApplied());
        UpdateOptions ifFive = UpdateOptions.builder().ifCondition(Criteria.where("nights").is(5)).build();
        for (int i = 3; i < 6; i++)
            print("updated", template.update(of(i).queryOptions(ifFive), Update.update("guest", "guest 7"), Visit.class));
        template.update(of(20), Update.empty().addTo("tags").append("new").set("price", new BigDecimal("1.5")), Visit.class);
        template.update(of(21), Update.empty().remove("tags", "all").addTo("extras").entry("cat", 2), Visit.class);
        repository.delete(visit(40));
        template.delete(Query.query(Criteria.where("city").is("city 6")), Visit.class);
        print("exists", template.exists(of(40), Visit.class));
        print("last", Optional.ofNullable(template.selectOne(Query.query(Criteria.where("city").is("city 3")).limit(1), Visit.class)));
    }

    private static void print(String step, Object result)
    {
        System.out.println("> " + step + ": " + result);
    }
}
