// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Every word that `cassiterite stress` knows: those it takes, with their help, and those it refuses, with the reason.
//!
//! The words are those of cassandra-stress 5.0 (`org.apache.cassandra.stress.settings.Settings*`); the groups `-engine`,
//! `-check`, `-sla`, `-json`, `-html`, `-draw` and the command `emp` are additions.

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is: `no-warmup`.
    Flag,
    /// With a value right behind it: `n=1000`, `err<0.02`.
    Value(&'static str),
    /// With a list in parentheses: `ops(insert=1,read=2)`.
    List(&'static str),
    /// Anything that is none of the group's other words.
    Free(&'static str),
}

/// A word that is taken.
#[derive(Debug)]
pub struct Word {
    /// Its beginning: `n=`, `err<`, `ops`, `no-warmup`; empty for free words.
    pub name: &'static str,
    /// What follows.
    pub form: Form,
    /// One line of help.
    pub about: &'static str,
}

/// A word of cassandra-stress that is refused.
#[derive(Debug)]
pub struct Refused {
    /// Its beginning.
    pub name: &'static str,
    /// Why, in words that follow "is not taken:".
    pub why: &'static str,
}

/// A command or an option with its words.
#[derive(Debug)]
pub struct Group {
    /// `write` or `-rate`; the first is its usual name.
    pub names: &'static [&'static str],
    /// One line of help.
    pub about: &'static str,
    /// What it takes.
    pub words: &'static [Word],
    /// What it does not take.
    pub refused: &'static [Refused],
}

const fn flag(name: &'static str, about: &'static str) -> Word {
    Word { name, form: Form::Flag, about }
}

const fn value(name: &'static str, form: &'static str, about: &'static str) -> Word {
    Word { name, form: Form::Value(form), about }
}

const fn list(name: &'static str, form: &'static str, about: &'static str) -> Word {
    Word { name, form: Form::List(form), about }
}

const fn free(form: &'static str, about: &'static str) -> Word {
    Word { name: "", form: Form::Free(form), about }
}

const fn refused(name: &'static str, why: &'static str) -> Refused {
    Refused { name, why }
}

const N: Word = value("n=", "N", "so many operations; k, m and b stand for thousand, million, billion");
const DURATION: Word = value("duration=", "N(s|m|h)", "for so long");
const ERROR: Word = value("err<", "0.N", "until the standard error of the mean row rate is below this fraction [0.02]");
const AT_LEAST: Word = value("n>", "N", "with err<: at least so many measurements [30]");
const AT_MOST: Word = value("n<", "N", "with err<: at most so many measurements [200]");
const LEVEL: Word = value("cl=", "LEVEL", "consistency level [LOCAL_ONE]");
const SERIAL: Word = value("serial-cl=", "LEVEL", "serial consistency level of conditional statements [SERIAL]");
const TRUNCATE: Word =
    value("truncate=", "never|once|always", "truncate the table: before the work, before each run [never]");
const NO_WARMUP: Word = flag("no-warmup", "measure from the first operation");
const ADD: Word = value("add=", "DIST", "what is added to a counter [fixed(1)]");

const OLD_RETRIES: Refused = refused("tries=", "say -errors retries=N");
const OLD_IGNORE: Refused = refused("ignore_errors", "say -errors ignore");
const OLD_WARMUP: Refused = refused("no_warmup", "say no-warmup");
const AT_ONCE: Refused = refused("at-once=", "multi-key reads went with Thrift");
const CLUSTERING: Refused = refused("clustering=", "kinds of operations are shuffled one by one");
const OLD: &[Refused] = &[OLD_RETRIES, OLD_IGNORE, OLD_WARMUP, AT_ONCE, CLUSTERING];

/// The commands that put load on a cluster.
pub const COMMANDS: &[Group] = &[
    Group {
        names: &["write", "insert"],
        about: "inserts rows of keyspace1.standard1, or of what -schema and -col say",
        words: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, NO_WARMUP, TRUNCATE, LEVEL, SERIAL],
        refused: OLD,
    },
    Group {
        names: &["read"],
        about: "reads what a write with the same -pop, -col and -schema has put there",
        words: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, NO_WARMUP, TRUNCATE, LEVEL, SERIAL],
        refused: OLD,
    },
    Group {
        names: &["mixed"],
        about: "read, write, counter_write and counter_read by ratio",
        words: &[
            list("ratio", "write=1,read=1", "how often each is done [write=1,read=1]"),
            N,
            DURATION,
            ERROR,
            AT_LEAST,
            AT_MOST,
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
        words: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, NO_WARMUP, TRUNCATE, LEVEL, SERIAL, ADD],
        refused: OLD,
    },
    Group {
        names: &["counter_read", "counterread", "counter_get", "counterget"],
        about: "reads the counters of keyspace1.counter1",
        words: &[N, DURATION, ERROR, AT_LEAST, AT_MOST, NO_WARMUP, TRUNCATE, LEVEL, SERIAL],
        refused: OLD,
    },
    Group {
        names: &["user"],
        about: "the schema and the queries of a cassandra-stress profile",
        words: &[
            value("profile=", "FILE", "the profile (YAML)"),
            list("ops", "insert=1,QUERY=1", "how often each is done"),
            N,
            DURATION,
            ERROR,
            AT_LEAST,
            AT_MOST,
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
        words: &[
            list("ratio", "write=1,read=1", "how often each is done [write=1,read=1]"),
            N,
            DURATION,
            ERROR,
            AT_LEAST,
            AT_MOST,
            NO_WARMUP,
            TRUNCATE,
            LEVEL,
            SERIAL,
        ],
        refused: OLD,
    },
];

/// The commands that only say something.
pub const TALKS: &[Group] = &[
    Group {
        names: &["help", "-?"],
        about: "this, or what a command or an option takes",
        words: &[free("COMMAND|-OPTION", "what to explain")],
        refused: &[],
    },
    Group {
        names: &["print"],
        about: "draws a distribution",
        words: &[value("dist=", "DIST", "the distribution")],
        refused: &[],
    },
    Group { names: &["version"], about: "the version", words: &[], refused: &[] },
];

/// Commands of cassandra-stress that are refused.
pub const REFUSED_COMMANDS: &[Refused] =
    &[refused("legacy", "words of before Cassandra 2.1; say it in the present ones (see help)")];

/// The options.
pub const OPTIONS: &[Group] = &[
    Group {
        names: &["-rate"],
        about: "how fast: a fixed rate is an open loop, all else a closed one",
        words: &[
            value("threads=", "N", "so many operations in flight"),
            value("fixed=", "N/s", "operations due per second; latency counts from when each was due (open loop)"),
            value(
                "throttle=",
                "N/s",
                "at most so many per second, with no schedule: latency leaves out what waits (closed loop)",
            ),
            value("threads>=", "N", "begin with so many [4]"),
            value("threads<=", "N", "end with so many [1000]"),
            flag("auto", "stop adding threads once that brings no more operations"),
        ],
        refused: &[refused("limit=", "its newer names say what happens: throttle= or fixed=")],
    },
    Group {
        names: &["-node"],
        about: "which nodes to begin with",
        words: &[
            value("file=", "FILE", "one node a line"),
            value("datacenter=", "NAME", "ask the nodes of this datacenter first"),
            free("HOST[:PORT],...", "the nodes [localhost]"),
        ],
        refused: &[refused("whitelist", "all nodes of the cluster are used; prefer some with datacenter=")],
    },
    Group {
        names: &["-port"],
        about: "where the nodes listen",
        words: &[value("native=", "N", "the CQL port [9042]")],
        refused: &[
            refused("jmx=", "nothing is read over JMX; GC comes from the GC logs of nodes on this machine"),
            refused("thrift=", "Cassandra 4.0 removed Thrift"),
        ],
    },
    Group {
        names: &["-pop"],
        about: "which partitions, and in which order",
        words: &[
            value("seq=", "FROM..TO", "one after the other"),
            value("dist=", "DIST", "drawn from a distribution"),
            value("read-lookback=", "DIST", "with seq=: reads go to what was written so many writes ago"),
            flag("no-wrap", "with seq=: end after the last one"),
        ],
        refused: &[refused("contents=", "the rows of a partition have one order, which the profile makes")],
    },
    Group {
        names: &["-col"],
        about: "columns of the built-in tables",
        words: &[
            value("n=", "DIST", "how many [fixed(5)]"),
            value("size=", "DIST", "bytes of each [fixed(34)]"),
            value("names=", "A,B,...", "their names [C0,C1,...]"),
        ],
        refused: &[
            refused("slice", "a row is read by the names of its columns"),
            refused("super=", "super columns went with Thrift"),
            refused("comparator=", "CQL columns have no comparator"),
            refused("timestamp=", "checked reads need the coordinator's timestamps"),
        ],
    },
    Group {
        names: &["-insert"],
        about: "how inserts are cut; the profile's own words come first",
        words: &[
            value("partitions=", "DIST", "partitions of one batch"),
            value("select-ratio=", "RATIO", "share of a partition's rows in one insert"),
            value("row-population-ratio=", "RATIO", "share of a row's cells that are not null"),
            value("visits=", "DIST", "inserts that a partition is split into [fixed(1)]"),
            value("revisit=", "DIST", "which of the partitions begun comes next [uniform(1..1M)]"),
            value("batchtype=", "unlogged|logged|counter", "kind of batch"),
        ],
        refused: &[],
    },
    Group {
        names: &["-tokenrange"],
        about: "how token range queries cut the ring",
        words: &[
            flag("wrap", "begin again after the last range; always so"),
            value("split-factor=", "N", "split every range by this factor [1]"),
        ],
        refused: &[],
    },
    Group {
        names: &["-mode"],
        about: "how to speak and who says so",
        words: &[
            flag("native", "the CQL protocol; there is no other"),
            flag("cql3", "CQL 3; there is no other"),
            flag("prepared", "prepared statements; there are no others"),
            value("user=", "NAME", "user"),
            value("password=", "WORD", "password"),
            value("compression=", "none|lz4", "compression of frames [none]"),
        ],
        refused: &[
            refused("unprepared", "every statement is prepared"),
            refused("simplenative", "the load speaks through a full driver"),
            refused("smart", "the driver always knows which node holds a row"),
            refused("thrift", "Cassandra 4.0 removed Thrift"),
            refused("protocolVersion=", "the driver speaks version 4, which every Cassandra since 2.2 knows"),
            refused("port=", "say -port native=N"),
            refused("auth-provider=", "user and password are the only credentials; Java classes cannot be loaded"),
            refused("maxPending=", "the operations in flight are those of -rate threads="),
            refused("connectionsPerHost=", "the client opens one connection to each node"),
        ],
    },
    Group {
        names: &["-transport"],
        about: "TLS, with PEM files; whom a certificate is for is not checked, as in cassandra-stress",
        words: &[
            value("truststore=", "FILE.pem", "certificates to trust"),
            value("keystore=", "FILE.pem", "own certificate and private key"),
        ],
        refused: &[
            refused("truststore-password=", "PEM files of certificates have no password"),
            refused("keystore-password=", "the private key's PEM must not be encrypted"),
            refused("ssl-protocol=", "TLS 1.2 or 1.3, as the server can"),
            refused("ssl-alg=", "that is of Java key stores; PEM has none"),
            refused("ssl-store-type=", "that is of Java key stores; PEM has none"),
            refused("ssl-ciphers=", "the safe suites of TLS 1.2 and 1.3 are offered"),
            refused("ssl-factory=", "Java classes cannot be loaded"),
            refused("factory=", "Java classes cannot be loaded"),
        ],
    },
    Group {
        names: &["-schema"],
        about: "keyspace and table of the built-in commands; a profile takes only the replication",
        words: &[
            list("replication", "factor=N | strategy=NAME,DC=N,...", "replicas [factor=1]"),
            value("keyspace=", "NAME", "keyspace [keyspace1]"),
            list("compaction", "strategy=NAME,KEY=VALUE,...", "compaction of the table"),
            value("compression=", "NAME", "compressor of the table, none when empty"),
        ],
        refused: &[],
    },
    Group {
        names: &["-errors"],
        about: "what to do about operations that fail",
        words: &[
            value("retries=", "N", "tries after the first [9]"),
            flag("ignore", "a run with failed operations may still pass"),
            flag("fail-fast", "end the run at the first failed operation"),
            flag("skip-read-validation", "do not check what is read; same as -check off"),
        ],
        refused: &[
            refused("skip-unsupported-columns", "there is no unsupported type to skip"),
            refused("delay-policy=", "a retry waits 10 ms, each further one twice as long"),
        ],
    },
    Group {
        names: &["-log"],
        about: "what is said and written down",
        words: &[
            value("file=", "FILE", "rows and results also go to this file"),
            value("hdrfile=", "FILE", "histograms of each interval, HistogramLogWriter's format"),
            value("interval=", "N(ms|s)", "length of an interval [1s]"),
            value(
                "level=",
                "minimal|normal|verbose",
                "minimal leaves out the rows, verbose adds wrong rows and errors as they come [normal]",
            ),
            flag("no-summary", "no results at the end"),
            flag("no-settings", "no settings at the beginning"),
        ],
        refused: &[],
    },
    Group {
        names: &["-graph"],
        about: "one HTML page; a page that is there gains this run, for comparison",
        words: &[
            value("file=", "FILE", "the page"),
            value("title=", "TEXT", "its title"),
            value("revision=", "NAME", "the name of this run in it"),
            value("op=", "NAME", "another name for the command in it"),
        ],
        refused: &[],
    },
    Group {
        names: &["-reporting"],
        about: "how often rows are printed",
        words: &[
            value("output-frequency=", "N(s|m)", "a row so often [every interval]"),
            value("header-frequency=", "N(s|m)", "the header so often [once]"),
        ],
        refused: &[],
    },
    Group {
        names: &["-credentials-file"],
        about: "a properties file with cql.username and cql.password",
        words: &[free("FILE", "the file")],
        refused: &[],
    },
    Group {
        names: &["-engine"],
        about: "(own) table options to add to the schema",
        words: &[free("stock|stock-default|cassiterite", "the engine")],
        refused: &[],
    },
    Group {
        names: &["-check"],
        about: "(own) whether what is read is compared with what was acknowledged",
        words: &[
            flag("on", "compare, or refuse the run (without this word: where possible)"),
            flag("written", "compare, and count on rows as a run that only wrote left them"),
            flag("off", "do not"),
        ],
        refused: &[],
    },
    Group {
        names: &["-sla"],
        about: "(own) what must hold, else exit code 1",
        words: &[free(
            "[KIND:]p99<=10ms",
            "p50, p95, p99, p99.9 ..., mean, max: <= N(us|ms|s); rate: >= N/s; errors: <= N or N%",
        )],
        refused: &[],
    },
    Group {
        names: &["-json", "--json"],
        about: "(own) the whole run as JSON",
        words: &[free("FILE", "the file")],
        refused: &[],
    },
    Group {
        names: &["-html", "--html"],
        about: "(own) the run as one HTML page, anew; -graph adds to one",
        words: &[free("FILE", "the file")],
        refused: &[],
    },
    Group {
        names: &["-seed"],
        about: "(own) another seed makes other rows and another order",
        words: &[free("N", "the seed [1]")],
        refused: &[],
    },
    Group {
        names: &["-draw"],
        about: "(own) draw the shape of the data and do nothing else",
        words: &[],
        refused: &[],
    },
];

/// Options of cassandra-stress that are refused.
pub const REFUSED_OPTIONS: &[Refused] = &[
    refused("-sendto", "there is no daemon; start the command where it shall run"),
    refused("-send-to", "there is no daemon; start the command where it shall run"),
    refused("-jmx", "nothing is read over JMX"),
    refused("-samples", "histograms keep every operation"),
    refused("-key", "cassandra-stress itself calls it -pop now"),
    refused("-d", "say -node HOST,..."),
];
