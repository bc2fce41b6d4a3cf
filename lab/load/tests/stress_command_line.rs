// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command line of cassandra-stress: what is supported, what is refused and with which message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write;
use std::time::Duration;

use lab_load::stress::command_line::CommandLine;
use lab_load::stress::settings::{Check, Command, Level, Population, Rate, Settings, Stop, Truncate, Warmup};
use lab_load::stress::syntax::{Form, Group, COMMANDS, OPTIONS, REFUSED_COMMANDS, REFUSED_OPTIONS};
use scylla::statement::{Consistency, SerialConsistency};

fn read(line: &str) -> Result<Settings, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    CommandLine::parse(&words).and_then(Settings::read).map_err(|error| format!("{error:#}"))
}

fn taken(line: &str) -> Settings {
    read(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn refused(line: &str) -> String {
    match read(line) {
        Err(error) => error,
        Ok(_) => panic!("'{line}' was taken"),
    }
}

#[test]
fn the_users_line_of_the_spotify_article() {
    let settings = taken(
        "user profile=features.yaml ops(insert=24,get=1) n=10M cl=QUORUM truncate=once no-warmup \
         -rate threads=300 fixed=5000/s -node n1,n2:9043 -port native=9142 -pop seq=1..2K no-wrap \
         -mode native cql3 user=me password=secret -log interval=5s hdrfile=x.hdr level=verbose \
         -graph file=g.html title=T revision=R -errors retries=3 ignore -sla p99<=10ms get:p99.9<=1s",
    );
    let Command::User { profile, ops } = &settings.work.command else { panic!() };
    assert_eq!(profile.to_str(), Some("features.yaml"));
    assert_eq!(*ops, [("insert".to_owned(), 24.0), ("get".to_owned(), 1.0)]);
    assert_eq!(settings.work.operation(), "user ops(insert=24,get=1)");
    assert_eq!(settings.work.stop, Stop::Count(10_000_000));
    assert_eq!((settings.work.consistency, settings.work.truncate), (Consistency::Quorum, Truncate::Once));
    assert_eq!(settings.work.warmup, Warmup::None);
    assert_eq!(settings.rate, Rate::Open { per_s: 5000.0, threads: Some(300) });
    assert_eq!(settings.connection.contact_points, ["n1:9142", "n2:9043"]);
    assert_eq!(settings.connection.credentials, Some(("me".to_owned(), "secret".to_owned())));
    let seq = Population::Sequence { first: 1, last: 2000, wraps: false, lookback: None };
    assert_eq!(settings.data.population, seq);
    assert_eq!((settings.output.interval, settings.output.level), (Duration::from_secs(5), Level::Verbose));
    assert_eq!(settings.output.graph.unwrap().revision.as_deref(), Some("R"));
    assert_eq!((settings.verdict.errors.retries, settings.verdict.errors.ignore), (3, true));
    assert_eq!(settings.verdict.slas.len(), 2);
}

#[test]
fn what_is_not_said_is_as_in_cassandra_stress() {
    let write = taken("WRITE n=1000");
    assert_eq!(write.rate, Rate::Closed { threads: 200 });
    assert_eq!(write.work.consistency, Consistency::LocalOne);
    assert_eq!(write.work.serial_consistency, SerialConsistency::Serial);
    assert_eq!(write.connection.contact_points, ["localhost:9042"]);
    assert_eq!(write.verdict.errors.retries, 9);
    let seq = Population::Sequence { first: 1, last: 1000, wraps: true, lookback: None };
    assert_eq!(write.data.population, seq);
    let read = taken("read duration=5m");
    assert_eq!(read.rate, Rate::Sweep { from: 4, to: 1000, auto: true });
    assert_eq!(read.work.stop, Stop::Duration(Duration::from_secs(300)));
    assert_eq!(read.data.population, Population::Spread("gaussian(1..1000000)".parse().unwrap()));
    let mixed = taken("mixed");
    assert_eq!(mixed.work.stop, Stop::Uncertainty { target: 0.02, at_least: 30, at_most: 200 });
    let only_inserts = taken("user profile=p ops(insert=1) n=5");
    assert!(matches!(only_inserts.data.population, Population::Sequence { last: 5, .. }));
    assert!(write.verdict.check == Check::WherePossible && write.work.warmup == Warmup::Usual);
    assert_eq!(taken("read n=1 truncate=never -check written").verdict.check, Check::Written);
    assert_eq!(taken("read n=1 -errors skip-read-validation").verdict.check, Check::Off);
}

#[test]
fn rates_say_what_they_are() {
    let label = |line: &str| taken(line).rate.label();
    assert!(label("read n=1 -rate fixed=10/s").starts_with("open loop, 10 operations due per second"));
    assert!(label("read n=1 -rate threads=2 throttle=10/s").contains("without a schedule"));
    assert!(label("read n=1 -rate threads=2").starts_with("closed loop, 2 threads"));
    assert_eq!(taken("read n=1 -rate threads>=2 threads<=8").rate, Rate::Sweep { from: 2, to: 8, auto: false });
    assert_eq!(taken("read n=1 -rate threads=2 fixed=0/s").rate, Rate::Closed { threads: 2 });
}

#[test]
fn schema_words_become_cql_maps() {
    let schema = |words: &str| taken(&format!("write n=1 -schema {words}")).data.schema;
    let three = schema("replication(factor=3)").replication;
    assert_eq!(three.as_deref(), Some("{'class': 'SimpleStrategy', 'replication_factor': '3'}"));
    let two = schema("replication(strategy=NetworkTopologyStrategy,dc1=2) keyspace=k");
    assert_eq!(two.replication.as_deref(), Some("{'class': 'NetworkTopologyStrategy', 'dc1': '2'}"));
    let leveled = schema("compaction(strategy=LeveledCompactionStrategy,sstable_size_in_mb=10)").compaction;
    assert_eq!(leveled.as_deref(), Some("{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '10'}"));
}

#[test]
fn every_word_that_help_shows_is_known() {
    for (group, is_option) in
        COMMANDS.iter().map(|group| (group, false)).chain(OPTIONS.iter().map(|group| (group, true)))
    {
        for word in group.parameters {
            let shown = match word.form {
                Form::Flag => word.name.to_owned(),
                Form::Value(_) => format!("{}1", word.name),
                Form::List(_) => format!("{}(a=1)", word.name),
                Form::Free(_) => "something".to_owned(),
            };
            let line = line(group, is_option, &shown);
            CommandLine::parse(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        }
    }
}

#[test]
fn every_word_that_is_refused_is_refused_by_name_and_with_the_reason() {
    for (group, is_option) in
        COMMANDS.iter().map(|group| (group, false)).chain(OPTIONS.iter().map(|group| (group, true)))
    {
        for refused in group.refused {
            let word = if refused.name.ends_with('=') { format!("{}1", refused.name) } else { refused.name.to_owned() };
            let error = CommandLine::parse(&line(group, is_option, &word)).unwrap_err().to_string();
            assert_eq!(error, format!("{}: '{word}' is not supported: {}", group.names[0], refused.why));
        }
    }
    for refused in REFUSED_OPTIONS {
        let error = CommandLine::parse(&["read".to_owned(), refused.name.to_owned()]).unwrap_err().to_string();
        assert_eq!(error, format!("option '{}' is not supported: {}", refused.name, refused.why));
    }
    for refused in REFUSED_COMMANDS {
        let error = CommandLine::parse(&[refused.name.to_owned()]).unwrap_err().to_string();
        assert_eq!(error, format!("command '{}' is not supported: {}", refused.name, refused.why));
    }
}

fn line(group: &Group, is_option: bool, word: &str) -> Vec<String> {
    let first = if is_option { vec!["read"] } else { Vec::new() };
    first.into_iter().chain([group.names[0], word]).map(str::to_owned).collect()
}

#[test]
fn what_nobody_knows_is_refused_with_the_nearest_word() {
    assert_eq!(refused("raed n=1"), "there is no command 'raed'; did you mean 'read'?");
    assert_eq!(refused("read -ratte threads=1"), "there is no option '-ratte'; did you mean '-rate'?");
    assert_eq!(refused("read -rate thread=1"), "-rate: 'thread=1' is unknown; did you mean 'threads='?");
    assert_eq!(refused("read cosistency=ONE"), "read: 'cosistency=ONE' is unknown");
    assert_eq!(refused("user profile=p op(insert=1)"), "user: 'op(insert=1)' is unknown; did you mean 'ops'?");
    assert_eq!(refused("read -check maybe"), "-check: 'maybe' is unknown");
}

#[test]
fn connections_to_each_node() {
    assert_eq!(taken("read n=1 -mode native connectionsPerHost=8").connection.connections_per_node, 8);
    assert_eq!(taken("read n=1").connection.connections_per_node, 1);
    assert_eq!(refused("read n=1 -mode connectionsPerHost=0"), "-mode: connectionsPerHost=0: at least 1");
}

#[test]
fn the_warmup_is_a_time_or_until_the_rate_has_settled() {
    assert_eq!(taken("read warmup=auto").work.warmup, Warmup::Auto);
    assert_eq!(taken("read warmup=5m").work.warmup, Warmup::For(Duration::from_secs(300)));
}

#[test]
fn timestamps_are_those_of_this_client() {
    let why = "checked reads need the client's own timestamps, which grow from write to write";
    assert_eq!(refused("write n=1 -col timestamp=1"), format!("-col: 'timestamp=1' is not supported: {why}"));
}

#[test]
fn the_additions_to_connections_and_the_search_for_capacity() {
    let settings = taken(
        "write n=1 -mode requestTimeout=3s connectTimeout=500ms clientThreads=4 -node n1 \
         translate=10.0.0.1:9042>127.0.0.1:19042,10.0.0.2:9042>127.0.0.1:19043",
    );
    let connection = &settings.connection;
    assert_eq!((connection.request_timeout, connection.client_threads), (Some(Duration::from_secs(3)), Some(4)));
    assert_eq!(connection.connect_timeout, Some(Duration::from_millis(500)));
    assert_eq!(connection.translation[&"10.0.0.2:9042".parse().unwrap()], "127.0.0.1:19043".parse().unwrap());
    assert!(settings.capacity.is_none());
    let settings = taken("read -capacity p95<=5ms errors<=0.1% start=500/s precision=0.1 probe=20s probes=9");
    let capacity = settings.capacity.unwrap();
    assert_eq!((capacity.slas.len(), capacity.start_per_s, capacity.precision), (2, 500.0, 0.1));
    assert_eq!((capacity.probe, capacity.probes), (Duration::from_secs(20), 9));
    for (line, told) in [
        ("read -capacity", "what must hold is missing"),
        ("read -capacity p95", "-capacity: 'p95': a bound is expected"),
        ("read -capacity p95<=5ms -rate threads=4", "-capacity and -rate do not go together"),
        ("read -capacity p95<=5ms probes=2", "4 runs or more"),
        ("read -capacity p95<=5ms -sla p99<=9ms", "-capacity and -sla do not go together"),
        ("read n=1 -capacity p95<=5ms", "-capacity and n= do not go together: probe=TIME is the length of a run"),
        ("read duration=5m -capacity p95<=5ms", "-capacity and duration= do not go together"),
        ("read err<0.02 -capacity p95<=5ms", "-capacity and err< do not go together"),
        ("read -capacity p95<=5ms -errors ignore", "-capacity and -errors ignore do not go together"),
        ("mixed truncate=ALWAYS -capacity p95<=5ms", "-capacity and truncate=always do not go together"),
        ("read n=1 -node translate=here>there", "IP:PORT>IP:PORT is expected"),
    ] {
        assert!(refused(line).contains(told), "{line}: {}", refused(line));
    }
}

#[test]
fn what_would_change_nothing_is_refused() {
    let emp = "-col: emp has the columns of NDBench; leave it out";
    let counters = "counters are C0, C1 ... and have no size; only n= is taken for them";
    for (line, message) in [
        ("emp n=1 -col n=fixed(3)", emp.to_owned()),
        ("emp n=1 -schema keyspace=k", "-schema: keyspace=: the table of emp is ndbench.emp; leave it out".to_owned()),
        ("counter_write n=1 -col names=a,b", format!("-col: names=: {counters}")),
        ("counter_read n=1 -col size=fixed(8)", format!("-col: size=: {counters}")),
        ("mixed ratio(counter_read=1,counter_write=1) -col size=fixed(8)", format!("-col: size=: {counters}")),
    ] {
        assert_eq!(refused(line), message, "{line}");
    }
    taken("emp n=1 -schema compression=LZ4Compressor");
    taken("counter_write n=1 -col n=fixed(3)");
    taken("mixed n=1 -col size=fixed(8)");
    taken("read truncate=once -errors fail-fast -capacity p95<=5ms");
}

#[test]
fn values_are_read_strictly() {
    for (line, message) in [
        ("read n=1x", "read: 'n=1x': a whole number, with k, m or b for thousand, million or billion is expected"),
        ("read n=-1", "read: 'n=-1': a whole number, with k, m or b for thousand, million or billion is expected"),
        ("read duration=5", "read: 'duration=5': a time above 0 as 30s, 5m or 1h is expected"),
        ("read err<2", "read: 'err<2': a fraction between 0 and 1 is expected"),
        ("read n=1 n=2", "read: 'n=' is given twice"),
        ("read warmup=0s", "read: 'warmup=0s': auto, or a time above 0 as 30s, 5m or 1h is expected"),
        ("read warmup=5s no-warmup", "read: warmup= and no-warmup do not go together"),
        (
            "read warmup=auto -pop seq=1..9 no-wrap",
            "-pop: no-wrap and warmup= do not go together: a sequence that ends counts from its beginning",
        ),
        ("read n=1 duration=1s", "read: n= and duration= do not go together"),
        ("read n=1 n>30", "read: n> belongs to err<"),
        ("read n=1 -rate threads=1 -rate threads=2", "-rate is given twice"),
        (
            "read n=1 cl=TOW",
            "read: 'cl=TOW' is none of ONE, TWO, THREE, QUORUM, LOCAL_ONE, LOCAL_QUORUM, EACH_QUORUM, ALL, ANY",
        ),
        ("read n=1 -rate threads=0", "-rate: threads=0: at least 1"),
        ("read n=1 -rate fixed=100", "-rate: 'fixed=100': a rate as 5000/s is expected"),
        ("read n=1 -rate threads=1 fixed=1/s throttle=1/s", "-rate: fixed= and throttle= do not go together"),
        ("read n=1 -rate threads=1 auto", "-rate: threads= does not go together with auto, threads>= and threads<="),
        ("read n=1 -rate throttle=5/s", "-rate: throttle= needs threads=N"),
        ("read n=1 -rate threads>=9 threads<=8", "-rate: threads>=9 is above threads<=8"),
        ("user ops(insert=1)", "user: profile=FILE is missing"),
        ("user profile=p", "user: ops(insert=1,...) is missing"),
        ("user profile=p ops(insert=0)", "user: ops(...): at least one operation must have a weight above 0"),
        ("user profile=p ops(insert)", "user: ops(...): 'insert' is not NAME=VALUE"),
        ("user profile=p ops(insert=a)", "user: ops(insert=a): a number is expected"),
        ("mixed ratio(scan=1)", "mixed: ratio(scan=...) is none of read, write, counter_read, counter_write"),
        (
            "mixed ratio(read=1,counter_read=1)",
            "mixed: counters have a table of their own; mix them in a run of their own",
        ),
        ("read n=1 -check on written", "-check: on and written do not go together"),
        (
            "mixed n=1 truncate=once -check written",
            "-check: written and truncate= do not go together: the rows are gone then; -check on begins with none",
        ),
        (
            "mixed truncate=always -check written",
            "-check: written and truncate= do not go together: the rows are gone then; -check on begins with none",
        ),
        ("read n=1 -pop dist=gauss", "-pop: 'dist=gauss': distribution \"gauss\": is not of the form name(arguments)"),
        ("user profile=p ops(a=1) -col n=fixed(1)", "-col: the profile says what the columns are"),
        (
            "user profile=p ops(a=1) -schema keyspace=k",
            "-schema: keyspace=: the profile says that in its table_definition",
        ),
        ("read n=1 -pop no-wrap", "-pop: no-wrap belongs to seq="),
        ("read n=1 -pop seq=9..1", "-pop: 'seq=9..1': a range as 1..1M is expected"),
        ("read n=1 -mode user=a", "-mode: user= needs password="),
        ("read n=1 -node a:b=c", "-node: 'a:b=c' is not a HOST[:PORT]"),
        (
            "read n=1 -engine rocks",
            "-engine: 'rocks' is none of stock, stock-sai, stock-6, stock-default, cassiterite, cassiterite-door",
        ),
        ("read n=1 -sla", "-sla: what must hold is missing, as in -sla 'p99<=10ms'"),
        (
            "read n=1 -sla p99<10ms",
            "-sla: 'p99<10ms': a bound is expected, as in p99<=10ms, rate>=4500/s or errors<=0.1%",
        ),
        (
            "read n=1 -sla q9<=1ms",
            "-sla: 'q9<=1ms': 'q9' is none of p50, p95, p99, p99.9 ..., mean, max, errors, unexplained, rate",
        ),
        ("read n=1 -sla p99<=10", "-sla: 'p99<=10': a time as 800us, 10ms or 1.5s is expected"),
        ("read n=1 -graph title=T", "-graph: file= is missing"),
        ("read n=1 -json", "-json: the FILE is missing"),
        ("read n=1 -log interval=10ms", "-log: interval= is below 100ms"),
    ] {
        assert_eq!(refused(line), message, "{line}");
    }
}

#[test]
fn tls_takes_pem_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        path.display().to_string()
    };
    let line = |words: String| format!("read n=1 -transport {words}");
    let java = refused(&line("truststore=/etc/trust.jks".to_owned()));
    assert!(java.contains("is a Java key store; PEM is taken: openssl pkcs12"), "{java}");
    let (empty, ca) = (file("empty.pem", ""), file("ca.pem", "-----BEGIN CERTIFICATE-----\n"));
    assert!(refused(&line(format!("truststore={empty}"))).ends_with("holds no certificate in PEM"));
    assert!(refused(&line(format!("truststore={ca} keystore={ca}"))).ends_with("holds no private key in PEM"));
    assert!(refused(&line("truststore=/nowhere.pem".to_owned())).contains("No such file"));
    assert!(taken(&line(format!("truststore={ca}"))).connection.trusted.is_some());
}

#[test]
fn files_of_nodes_and_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let (nodes, secrets) = (folder.path().join("nodes"), folder.path().join("secrets"));
    std::fs::write(&nodes, "10.0.0.1\n\n::1\n[::2]:9\n").unwrap();
    std::fs::write(&secrets, "# mine\ncql.username = me\ncql.password: secret\n").unwrap();
    let line = format!("read n=1 -node file={} -credentials-file {}", nodes.display(), secrets.display());
    let connection = taken(&line).connection;
    assert_eq!(connection.contact_points, ["10.0.0.1:9042", "[::1]:9042", "[::2]:9"]);
    assert_eq!(connection.credentials, Some(("me".to_owned(), "secret".to_owned())));
    assert!(!format!("{connection:?}").contains("secret"));
}

#[test]
fn help_is_given_for_options_too() {
    let words: Vec<String> = ["help", "-rate"].map(str::to_owned).into();
    assert_eq!(CommandLine::parse(&words).unwrap().command.only().unwrap(), Some("-rate"));
}
