// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The options, supported and unsupported.

use super::{flag, free, list, refused, value, Group, Refused};

/// The options.
pub const OPTIONS: &[Group] = &[
    Group {
        names: &["-rate"],
        about: "how fast: a fixed rate is an open loop, all else a closed one",
        parameters: &[
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
        refused: &[refused("limit=", "use throttle= or fixed=, its newer names")],
    },
    Group {
        names: &["-node"],
        about: "which nodes to begin with",
        parameters: &[
            value("file=", "FILE", "one node a line"),
            value("datacenter=", "NAME", "ask the nodes of this datacenter first"),
            value("translate=", "IP:PORT>IP:PORT,...", "nodes that name the first address are reached at the second"),
            free("HOST[:PORT],...", "the nodes [localhost]"),
        ],
        refused: &[refused("whitelist", "all nodes of the cluster are used; prefer some with datacenter=")],
    },
    Group {
        names: &["-port"],
        about: "where the nodes listen",
        parameters: &[value("native=", "N", "the CQL port [9042]")],
        refused: &[
            refused("jmx=", "nothing is read over JMX; GC comes from the GC logs of nodes on this machine"),
            refused("thrift=", "Cassandra 4.0 removed Thrift"),
        ],
    },
    Group {
        names: &["-pop"],
        about: "which partitions, and in which order",
        parameters: &[
            value("seq=", "FROM..TO", "one after the other"),
            value("dist=", "DIST", "drawn from a distribution"),
            value("read-lookback=", "DIST", "with seq=: reads go to what was written so many writes ago"),
            flag("no-wrap", "with seq=: end after the last one"),
        ],
        refused: &[refused("contents=", "the rows of a partition have one order, which the profile makes")],
    },
    Group {
        names: &["-col"],
        about: "columns of the built-in tables, not of emp",
        parameters: &[
            value("n=", "DIST", "how many [fixed(5)]"),
            value("size=", "DIST", "bytes of each; not of counters [fixed(34)]"),
            value("names=", "A,B,...", "their names; not of counters [C0,C1,...]"),
        ],
        refused: &[
            refused("slice", "a row is read by the names of its columns"),
            refused("super=", "super columns went with Thrift"),
            refused("comparator=", "CQL columns have no comparator"),
            refused("timestamp=", "checked reads need the client's own timestamps, which grow from write to write"),
        ],
    },
    Group {
        names: &["-insert"],
        about: "how inserts are cut; what is said here goes before what the profile says",
        parameters: &[
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
        parameters: &[
            flag("wrap", "begin again after the last range; always so"),
            value("split-factor=", "N", "split every range by this factor [1]"),
        ],
        refused: &[],
    },
    Group {
        names: &["-mode"],
        about: "protocol, credentials, connections",
        parameters: &[
            flag("native", "the CQL protocol; there is no other"),
            flag("cql3", "CQL 3; there is no other"),
            flag("prepared", "prepared statements; there are no others"),
            value("user=", "NAME", "user"),
            value("password=", "WORD", "password"),
            value("compression=", "none|lz4", "compression of frames [none]"),
            value("connectionsPerHost=", "N", "connections to each node [1]"),
            value("requestTimeout=", "TIME", "time for one attempt of a statement [12s]"),
            value("connectTimeout=", "TIME", "time for one connection to be there [5s]"),
            value("clientThreads=", "N", "threads of the client [half of the CPUs, at most 8]"),
        ],
        refused: &[
            refused("unprepared", "every statement is prepared"),
            refused("simplenative", "the load speaks through a full driver"),
            refused("smart", "the driver always knows which node holds a row"),
            refused("thrift", "Cassandra 4.0 removed Thrift"),
            refused("protocolVersion=", "the driver speaks version 4, which every Cassandra since 2.2 knows"),
            refused("port=", "use -port native=N"),
            refused("auth-provider=", "user and password are the only credentials; Java classes cannot be loaded"),
            refused("maxPending=", "the operations in flight are those of -rate threads="),
        ],
    },
    Group {
        names: &["-transport"],
        about: "TLS, with PEM files; whom a certificate is for is not checked, as in cassandra-stress",
        parameters: &[
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
        parameters: &[
            list("replication", "factor=N | strategy=NAME,DC=N,...", "replicas [factor=1]"),
            value("keyspace=", "NAME", "keyspace, not of emp [keyspace1]"),
            list("compaction", "strategy=NAME,KEY=VALUE,...", "compaction of the table"),
            value("compression=", "NAME", "compressor of the table, none when empty"),
        ],
        refused: &[],
    },
    Group {
        names: &["-errors"],
        about: "what to do about operations that fail",
        parameters: &[
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
        about: "what is printed and written to files",
        parameters: &[
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
        parameters: &[
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
        parameters: &[
            value("output-frequency=", "N(s|m)", "a row so often [every interval]"),
            value("header-frequency=", "N(s|m)", "the header so often [once]"),
        ],
        refused: &[],
    },
    Group {
        names: &["-credentials-file"],
        about: "a properties file with cql.username and cql.password",
        parameters: &[free("FILE", "the file")],
        refused: &[],
    },
    Group {
        names: &["-engine"],
        about: "(own) table options to add to the schema",
        parameters: &[free("stock|stock-sai|stock-6|stock-default|cassiterite|cassiterite-door", "the engine")],
        refused: &[],
    },
    Group {
        names: &["-check"],
        about: "(own) whether what is read is compared with what was acknowledged",
        parameters: &[
            flag("on", "compare, or refuse the run (without this word: where possible)"),
            flag("written", "compare, and count on rows as a run that only wrote left them"),
            flag("off", "do not"),
        ],
        refused: &[],
    },
    Group {
        names: &["-capacity"],
        about: "look for the highest rate at which conditions hold, in place of -rate, -sla, n= and duration=",
        parameters: &[
            value("start=", "N/s", "the first rate [1000/s]"),
            value("precision=", "SHARE", "how close the ends of the answer are [0.05]"),
            value("probe=", "TIME", "length of a run; one that confirms takes twice as long [15s]"),
            value("probes=", "N", "runs at most [40]"),
            free("CONDITION", "as of -sla: 'p95<=5ms' 'errors<=0.1%'"),
        ],
        refused: &[],
    },
    Group {
        names: &["-sla"],
        about: "(own) what must hold, else exit code 1",
        parameters: &[free(
            "[KIND:]p99<=10ms",
            "p50, p95, p99, p99.9 ..., mean, max: <= N(us|ms|s); rate: >= N/s; errors: <= N or N%",
        )],
        refused: &[],
    },
    Group {
        names: &["-json", "--json"],
        about: "(own) the whole run as JSON",
        parameters: &[free("FILE", "the file")],
        refused: &[],
    },
    Group {
        names: &["-html", "--html"],
        about: "(own) the run as one HTML page, anew; -graph adds to one",
        parameters: &[free("FILE", "the file")],
        refused: &[],
    },
    Group {
        names: &["-seed"],
        about: "(own) another seed makes other rows and another order",
        parameters: &[free("N", "the seed [1]")],
        refused: &[],
    },
    Group {
        names: &["-draw"],
        about: "(own) draw the shape of the data and do nothing else",
        parameters: &[],
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
    refused("-d", "use -node HOST,..."),
];
