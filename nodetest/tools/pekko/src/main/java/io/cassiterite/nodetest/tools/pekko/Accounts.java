/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools.pekko;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.cassandra.query.javadsl.CassandraReadJournal;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.stream.javadsl.Sink;

/** An application of actors that persist: Accounts HOST PORT KEYSPACE. It prints what each step gave. */
public final class Accounts
{
    private static final int ACCOUNTS = 12;
    private static final int DEPOSITS = 60;
    private static final Duration BOUND = Duration.ofMinutes(2);

    private Accounts()
    {
    }

    public static void main(String[] arguments) throws Exception
    {
        Config config = configuration(arguments);
        run(config, "deposited", system -> deposit(system, 0));
        // recovers from snapshots and what came after them
        run(config, "recovered", Accounts::ask);
        run(config, "deposited again", system -> deposit(system, DEPOSITS));
        run(config, "events", Accounts::query);
        System.exit(0);
    }

    private static Config configuration(String[] arguments)
    {
        return ConfigFactory.parseString(String.join("\n",
            "pekko.loglevel = WARNING",
            "pekko.persistence.journal.plugin = pekko.persistence.cassandra.journal",
            "pekko.persistence.snapshot-store.plugin = pekko.persistence.cassandra.snapshot",
            "pekko.persistence.cassandra.journal {",
            "  keyspace = " + arguments[2], "  keyspace-autocreate = true", "  tables-autocreate = true", "  target-partition-size = 50",
            "  event-adapters.tags = \"" + DepositTags.class.getName() + "\"",
            "  event-adapter-bindings.\"java.lang.String\" = tags",
            "}",
            "pekko.persistence.cassandra.snapshot {",
            "  keyspace = " + arguments[2], "  keyspace-autocreate = true", "  tables-autocreate = true",
            "}",
            "pekko.persistence.cassandra.events-by-tag.eventual-consistency-delay = 1s",
            "datastax-java-driver.basic.contact-points = [\"" + arguments[0] + ":" + arguments[1] + "\"]",
            "datastax-java-driver.basic.load-balancing-policy.local-datacenter = datacenter1",
            "datastax-java-driver.basic.request.timeout = 60s",
            "datastax-java-driver.profiles.pekko-persistence-cassandra-profile.basic.request.timeout = 60s",
            "pekko.persistence.cassandra.journal.circuit-breaker.call-timeout = 60s",
            "pekko.persistence.cassandra.snapshot.circuit-breaker.call-timeout = 60s")).withFallback(ConfigFactory.load());
    }

    /** A step of the application, in an actor system of its own. */
    private interface Step
    {
        List<String> in(ActorSystem system) throws Exception;
    }

    private static void run(Config config, String name, Step step) throws Exception
    {
        ActorSystem system = ActorSystem.create("accounts", config);
        try
        {
            step.in(system).forEach(line -> System.out.println("> " + name + ": " + line));
        }
        finally
        {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(BOUND.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static List<ActorRef> accounts(ActorSystem system)
    {
        List<ActorRef> accounts = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++)
            accounts.add(system.actorOf(Props.create(Account.class, "account-" + i)));
        return accounts;
    }

    private static List<String> deposit(ActorSystem system, int first) throws Exception
    {
        List<ActorRef> accounts = accounts(system);
        for (int i = 0; i < ACCOUNTS; i++)
            for (int deposit = first; deposit < first + DEPOSITS; deposit++)
                accounts.get(i).tell("deposit " + (i * 1000 + deposit), ActorRef.noSender());
        // events before that of the snapshot
        for (int i = 0; i < ACCOUNTS; i += 3)
            accounts.get(i).tell("forget", ActorRef.noSender());
        return states(accounts);
    }

    private static List<String> ask(ActorSystem system) throws Exception
    {
        return states(accounts(system));
    }

    private static List<String> states(List<ActorRef> accounts) throws Exception
    {
        List<String> states = new ArrayList<>();
        for (ActorRef account : accounts)
            states.add((String) Patterns.ask(account, "state", BOUND).toCompletableFuture().get(BOUND.toSeconds(), TimeUnit.SECONDS));
        return states;
    }

    private static List<String> query(ActorSystem system) throws Exception
    {
        CassandraReadJournal journal = PersistenceQuery.get(system)
                                                       .getReadJournalFor(CassandraReadJournal.class, CassandraReadJournal.Identifier());
        List<String> lines = new ArrayList<>();
        lines.add("ids " + journal.currentPersistenceIds().runWith(Sink.seq(), system).toCompletableFuture()
                                  .get(BOUND.toSeconds(), TimeUnit.SECONDS).stream().sorted().toList());
        for (int i = 0; i < ACCOUNTS; i += 5)
            lines.add("of " + i + " " + journal.currentEventsByPersistenceId("account-" + i, 0, Long.MAX_VALUE)
                                               .map(event -> event.sequenceNr() + "=" + event.event()).runWith(Sink.seq(), system)
                                               .toCompletableFuture().get(BOUND.toSeconds(), TimeUnit.SECONDS));
        for (String tag : Set.of("even", "odd"))
            lines.add(tag + " " + journal.currentEventsByTag(tag, Offset.noOffset())
                                         .map(event -> event.persistenceId() + " " + event.event()).runWith(Sink.seq(), system)
                                         .toCompletableFuture().get(BOUND.toSeconds(), TimeUnit.SECONDS).stream().sorted().toList());
        return lines.stream().sorted().toList();
    }
}
