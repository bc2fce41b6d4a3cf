// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The commands, supported and unsupported.

use super::{flag, free, list, refused, value, Group, Parameter, Refused};

const N: Parameter = value("n=", "N", "so many operations; k, m and b stand for thousand, million, billion");
const DURATION: Parameter = value("duration=", "N(s|m|h)", "for so long");
const ERROR: Parameter =
    value("err<", "0.N", "until the standard error of the mean row rate is below this fraction [0.02]");
const AT_LEAST: Parameter = value("n>", "N", "with err<: at least so many measurements [30]");
const AT_MOST: Parameter = value("n<", "N", "with err<: at most so many measurements [200]");
const LEVEL: Parameter = value("cl=", "LEVEL", "consistency level [LOCAL_ONE]");
const SERIAL: Parameter = value("serial-cl=", "LEVEL", "serial consistency level of conditional statements [SERIAL]");
const TRUNCATE: Parameter =
    value("truncate=", "never|once|always", "truncate the table: before the work, before each run [never]");
const WARMUP: Parameter = value(
    "warmup=",
    "auto|N(s|m|h)",
    "leave so much out at the start; auto: until the rate has settled, 240 s at most [a tenth of duration=, else 5s]",
);
const NO_WARMUP: Parameter = flag("no-warmup", "measure from the first operation");
const ADD: Parameter = value("add=", "DIST", "what is added to a counter [fixed(1)]");

const OLD_RETRIES: Refused = refused("tries=", "use -errors retries=N");
const OLD_IGNORE: Refused = refused("ignore_errors", "use -errors ignore");
const OLD_WARMUP: Refused = refused("no_warmup", "use no-warmup");
const AT_ONCE: Refused = refused("at-once=", "multi-key reads went with Thrift");
const CLUSTERING: Refused = refused("clustering=", "kinds of operations are shuffled one by one");
const OLD: &[Refused] = &[OLD_RETRIES, OLD_IGNORE, OLD_WARMUP, AT_ONCE, CLUSTERING];

/// The commands that put load on a cluster.
pub const COMMANDS: &[Group] = &[
    Group {
        names: &["write", "insert"],
        about: "inserts rows of keyspace1.standard1, or of the table of -schema and -col",
        parameters: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, WARMUP, NO_WARMUP, TRUNCATE, LEVEL, SERIAL],
        refused: OLD,
    },
    Group {
        names: &["read"],
        about: "reads what a write with the same -pop, -col and -schema has put there",
        parameters: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, WARMUP, NO_WARMUP, TRUNCATE, LEVEL, SERIAL],
        refused: OLD,
    },
    Group {
        names: &["mixed"],
        about: "read, write, counter_write and counter_read by ratio",
        parameters: &[
            list("ratio", "write=1,read=1", "how often each is done [write=1,read=1]"),
            N,
            DURATION,
            ERROR,
            AT_LEAST,
            AT_MOST,
            WARMUP,
            NO_WARMUP,
            TRUNCATE,
            LEVEL,
            SERIAL,
            ADD,
        ],
        refused: OLD,
    },
    Group {
        names: &["counter_write", "counterwrite", "counter_add", "counteradd"],
        about: "adds to the counters of keyspace1.counter1",
        parameters: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, WARMUP, NO_WARMUP, TRUNCATE, LEVEL, SERIAL, ADD],
        refused: OLD,
    },
    Group {
        names: &["counter_read", "counterread", "counter_get", "counterget"],
        about: "reads the counters of keyspace1.counter1",
        parameters: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, WARMUP, NO_WARMUP, TRUNCATE, LEVEL, SERIAL],
        refused: OLD,
    },
    Group {
        names: &["user"],
        about: "the schema and the queries of a cassandra-stress profile",
        parameters: &[
            value("profile=", "FILE", "the profile (YAML)"),
            list("ops", "insert=1,QUERY=1", "how often each is done"),
            N,
            DURATION,
            ERROR,
            AT_LEAST,
            AT_MOST,
            WARMUP,
            NO_WARMUP,
            TRUNCATE,
            LEVEL,
            SERIAL,
        ],
        refused: OLD,
    },
    Group {
        names: &["emp"],
        about: "NDBench's default table: read and write by ratio",
        parameters: &[
            list("ratio", "write=1,read=1", "how often each is done [write=1,read=1]"),
            N,
            DURATION,
            ERROR,
            AT_LEAST,
            AT_MOST,
            WARMUP,
            NO_WARMUP,
            TRUNCATE,
            LEVEL,
            SERIAL,
        ],
        refused: OLD,
    },
];

/// The commands that only print something.
pub const INFO_COMMANDS: &[Group] = &[
    Group {
        names: &["help", "-?"],
        about: "this, or what a command or an option takes",
        parameters: &[free("COMMAND|-OPTION", "what to explain")],
        refused: &[],
    },
    Group {
        names: &["print"],
        about: "draws a distribution",
        parameters: &[value("dist=", "DIST", "the distribution")],
        refused: &[],
    },
    Group { names: &["version"], about: "the version", parameters: &[], refused: &[] },
];

/// Commands of cassandra-stress that are refused.
pub const REFUSED_COMMANDS: &[Refused] =
    &[refused("legacy", "the syntax from before Cassandra 2.1; see help for the present one")];
