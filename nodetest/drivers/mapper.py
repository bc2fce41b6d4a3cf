#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The Python driver's object mapper at work, for PythonMapperTest: mapper.py HOST PORT KEYSPACE plain|indexed.

Makes the tables of a typical application, uses them, changes them, and prints what every step gave, a line each.
Values are fixed: the same lines come from every node that answers alike.
"""

import logging
import sys
import time
import uuid
import warnings
from datetime import datetime, timedelta

from cassandra import ReadFailure
from cassandra.cluster import Cluster
from cassandra.cqlengine import CQLEngineException, columns, connection, management, models, query, usertype
from cassandra.policies import RoundRobinPolicy
from cassandra.query import dict_factory

BOUND_S = 60
INDEXED = sys.argv[4:] == ["indexed"]


class Address(usertype.UserType):
    street = columns.Text()
    zip = columns.Integer()
    tags = columns.Set(columns.Text)


class User(models.Model):
    id = columns.UUID(primary_key=True)
    email = columns.Text(index=INDEXED)
    city = columns.Text(index=INDEXED)
    age = columns.Integer()
    active = columns.Boolean(default=True)
    joined = columns.DateTime()
    roles = columns.Set(columns.Text, index=INDEXED)
    scores = columns.List(columns.Integer)
    settings = columns.Map(columns.Text, columns.Integer)
    home = columns.UserDefinedType(Address)


class Event(models.Model):
    sensor = columns.Text(partition_key=True)
    day = columns.Date(partition_key=True)
    at = columns.Integer(primary_key=True, clustering_order="DESC")
    part = columns.Text(primary_key=True)
    owner = columns.Text(static=True, index=INDEXED)
    kind = columns.Text(index=INDEXED)
    value = columns.Decimal()


class Views(models.Model):
    page = columns.Text(primary_key=True)
    country = columns.Text(primary_key=True)
    seen = columns.Counter()


class Animal(models.Model):
    __table_name__ = "animal"
    id = columns.Integer(primary_key=True)
    species = columns.Text(discriminator_column=True)
    name = columns.Text(index=INDEXED)


class Cat(Animal):
    __discriminator_value__ = "cat"
    lives = columns.Integer()


class Dog(Animal):
    __discriminator_value__ = "dog"
    tricks = columns.List(columns.Text)


class LaterUser(User):
    """The user of the application's next release."""

    __table_name__ = "user"
    country = columns.Text(index=INDEXED)


DAY = datetime(2024, 2, 29)
CITIES = ["Berlin", "Paris", "Oslo"]


def show(name, value):
    print(f"{name}: {value}")


def plain(value):
    if isinstance(value, dict) or hasattr(value, "items"):
        return {key: plain(item) for key, item in sorted(value.items())}
    if isinstance(value, set | frozenset) or type(value).__name__ == "SortedSet":
        return sorted(value)
    if isinstance(value, Address):
        return {name: plain(getattr(value, name)) for name in ("street", "zip", "tags")}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return str(value)


def rows(name, found):
    lines = sorted(str(plain(dict(row))) for row in found)
    show(name, f"{len(lines)} {lines}")


def refused(name, action):
    try:
        action()
        show(name, "done")
    except (CQLEngineException, query.LWTException) as e:
        show(name, f"{type(e).__name__} {getattr(e, 'existing', '')}")


def user_id(number):
    return uuid.UUID(int=number)


def sync():
    for model in (User, Event, Views, Cat, Dog):
        management.sync_table(model)


def describe(session, keyspace):
    session.cluster.refresh_schema_metadata()
    for name, table in sorted(session.cluster.metadata.keyspaces[keyspace].tables.items()):
        show("table", f"{name} {[(column.name, column.cql_type) for column in table.columns.values()]}")
        # The kind and the class of an index are the node's affair; its name and its target are not.
        for index in sorted(table.indexes.values(), key=lambda index: index.name):
            show("index", f"{index.name} on {index.table_name} of {index.index_options['target']}")


def write_users():
    for number in range(40):
        User.create(
            id=user_id(number),
            email=f"user{number}@example.org",
            city=CITIES[number % 3],
            age=20 + number,
            joined=DAY + timedelta(days=number),
            roles={"reader", "editor"} if number % 4 == 0 else {"reader"},
            scores=[number, number + 1],
            settings={"size": number, "theme": 1},
            home=Address(street=f"Road {number}", zip=number, tags={"a", "b"}),
        )


def change_users():
    User.objects(id=user_id(1)).update(city="Rome", age=None)
    User.objects(id=user_id(2)).update(roles__add={"admin"}, scores__append=[7], settings__update={"size": 99})
    User.objects(id=user_id(3)).update(roles__remove={"reader"}, scores__prepend=[5])
    User.objects(id=user_id(4)).update(roles=None, settings={"new": 1}, home=None)
    User.objects(id=user_id(5)).delete()
    user = User.get(id=user_id(6))
    user.city = "Oslo"
    user.scores.append(1)
    user.home = Address(street="New", zip=1, tags=set())
    user.save()
    User.get(id=user_id(7)).delete()
    User.objects(id=user_id(8)).timestamp(timedelta(days=-30)).update(city="too old")
    User.ttl(86400).create(id=user_id(50), email="short@example.org", city="Oslo", joined=DAY)
    with query.BatchQuery() as batch:
        User.batch(batch).create(id=user_id(51), email="batch@example.org", city="Paris", joined=DAY)
        User.objects(id=user_id(9)).batch(batch).update(city="Paris")
        User.objects(id=user_id(10)).batch(batch).delete()


def transactions():
    new = {"email": "once@example.org", "city": "Rome", "joined": DAY}
    refused("insert if not exists", lambda: User.if_not_exists().create(id=user_id(60), **new))
    refused("insert again", lambda: User.if_not_exists().create(id=user_id(60), **new))
    refused("update iff", lambda: User.objects(id=user_id(60)).iff(city="Rome").update(city="Bern"))
    refused("update iff not", lambda: User.objects(id=user_id(60)).iff(city="Rome").update(city="Kiev"))
    refused("update if exists", lambda: User.objects(id=user_id(61)).if_exists().update(city="Kiev"))


def events():
    for number in range(60):
        Event.create(
            sensor=f"s{number % 3}",
            day=DAY.date(),
            at=number // 6,
            part="left" if number % 2 else "right",
            owner=f"owner{number % 3}",
            kind=["hot", "cold", "wet"][number % 5 % 3],
            value=number / 4,
        )
    Event.objects(sensor="s1", day=DAY.date(), at=3, part="left").delete()
    Event.objects(sensor="s1", day=DAY.date(), at=4).delete()
    show("newest", [(event.at, event.part) for event in Event.objects(sensor="s0", day=DAY.date()).limit(3)])
    ascending = Event.objects(sensor="s0", day=DAY.date(), at__gte=7).order_by("at")
    show("ascending", [(event.at, event.part, str(event.value)) for event in ascending])
    show("pages", len(list(Event.objects(sensor="s0", day=DAY.date()).fetch_size(3))))
    show("count", Event.objects(sensor="s1", day=DAY.date()).count())
    rows("distinct", Event.objects.distinct(["sensor", "day", "owner"]).all())


def counters():
    for number in range(30):
        Views.objects(page=f"p{number % 3}", country="de").update(seen=1)
    views = Views.get(page="p1", country="de")
    views.seen += 5
    views.save()
    views = Views.get(page="p2", country="de")
    views.seen -= 3
    views.save()
    rows("views", Views.objects.all())


def animals():
    Cat.create(id=1, name="Tom", lives=7)
    Dog.create(id=2, name="Rex", tricks=["sit", "roll"])
    Dog.create(id=3, name="Tom", tricks=[])
    show("animals", [type(animal).__name__ for animal in Animal.objects.all()])


def filters():
    rows("adults", User.objects.filter(age__gt=50, active=True).only(["id", "age"]).allow_filtering())
    rows("readers", User.objects.filter(roles__contains="editor").only(["id"]).allow_filtering())


def indexes(when):
    """What only an index answers without ALLOW FILTERING."""
    rows(f"{when}, email", User.objects.filter(email="user12@example.org"))
    for city in [*CITIES, "Rome", "too old", "nowhere"]:
        rows(f"{when}, {city}", User.objects.filter(city=city).only(["id", "city"]))
    show(f"{when}, count", User.objects.filter(city="Oslo").count())
    show(f"{when}, pages", len(list(User.objects.filter(city="Oslo").fetch_size(2))))
    show(f"{when}, first", str(plain(dict(User.objects.filter(city="Oslo").first()))))
    rows(f"{when}, role", User.objects.filter(roles__contains="admin").only(["id", "roles"]))
    rows(f"{when}, filtered", User.objects.filter(city="Paris", age__lt=40).only(["id", "age"]).allow_filtering())
    rows(f"{when}, kind", Event.objects.filter(kind="wet"))
    rows(f"{when}, kind in partition", Event.objects.filter(sensor="s1", day=DAY.date(), kind="hot"))
    rows(f"{when}, owner", Event.objects.filter(owner="owner2").only(["sensor", "at", "part"]))
    rows(f"{when}, name", Animal.objects.filter(name="Tom"))
    refused(f"{when}, age", lambda: list(User.objects.filter(age=30)))


def await_index(query):
    """An index of a table with rows is built in the background."""
    end = time.monotonic() + BOUND_S
    while True:
        try:
            return query()
        except ReadFailure:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def next_release():
    management.sync_table(LaterUser)
    management.sync_table(LaterUser)
    LaterUser.objects(id=user_id(20)).update(country="no")
    LaterUser.create(id=user_id(70), email="no@example.org", city="Oslo", joined=DAY, country="no")
    rows("later", LaterUser.objects.filter(id__in=[user_id(20), user_id(70)]))
    if INDEXED:
        await_index(lambda: list(LaterUser.objects.filter(country="no")))
        rows("later, country", LaterUser.objects.filter(country="no").only(["id"]))


def main():
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    host, port, keyspace = sys.argv[1:4]
    cluster = Cluster(
        [host], port=int(port), protocol_version=5, load_balancing_policy=RoundRobinPolicy(), connect_timeout=BOUND_S
    )
    cluster.control_connection_timeout = BOUND_S
    session = cluster.connect()
    session.default_timeout = BOUND_S
    session.row_factory = dict_factory
    connection.set_session(session)
    management.create_keyspace_simple(keyspace, 1)
    for model in (User, Event, Views, Animal, Cat, Dog, LaterUser):
        model.__keyspace__ = keyspace
    sync()
    sync()
    describe(session, keyspace)
    for step in (write_users, change_users, transactions, events, counters, animals, filters):
        step()
    rows("users", User.objects.all())
    if INDEXED:
        indexes("indexed")
    next_release()
    describe(session, keyspace)
    management.drop_table(Views)
    sync()
    rows("views again", Views.objects.all())
    cluster.shutdown()


if __name__ == "__main__":
    main()
