// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What reports look like: JSON, HDR log, cassandra-stress's rows, the page.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod palette;
mod synthetic;

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::Histogram;
use lab_load::load::{Interval, Outcome};
use lab_load::observe::{Environment, Record};
use lab_load::report::{
    header, html, results, row, About, Collections, HdrLog, Judgement, RowContext, Run, RunVerdict, Sla, Span, Totals,
};
use proptest::prelude::*;

use lab_testkit::spoilt::spoilt;
use synthetic::{latencies, outcome, run, tally};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic(json in spoilt(vec![kept("run.json", Run::write)]), page in spoilt(vec![kept("page.html", paged)])) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        std::fs::write(&path, json).unwrap();
        if let Ok(run) = Run::read(&path) {
            let _ = (run.verdict(), run.failure(), run.write(&path));
        }
        std::fs::write(&path, page).unwrap();
        if let Ok((runs, title)) = html::read(&path) {
            prop_assert!(html::write(&path, &title.unwrap_or_default(), &runs).is_ok());
        }
    }
}

fn kept(name: &str, write: impl Fn(&Run, &std::path::Path) -> anyhow::Result<()>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write(&run("spoilt", 1.0), &path).unwrap();
    std::fs::read(path).unwrap()
}

fn paged(run: &Run, path: &std::path::Path) -> anyhow::Result<()> {
    html::write(path, "title", std::slice::from_ref(run))
}

fn one_interval() -> Interval {
    let ms: Vec<f64> = (1..=100).map(f64::from).collect();
    Interval {
        from: Duration::from_secs(4),
        to: Duration::from_secs(5),
        backlog: 12,
        tallies: vec![tally("insert", &ms, 2), tally("get", &[1.0], 0)],
    }
}

#[test]
fn rows_are_those_of_cassandra_stress_and_a_backlog() {
    let kinds = ["insert", "get"];
    let span = Span::of(&one_interval(), Duration::ZERO);
    let collections = Collections { count: 2.0, max_ms: 31.4, sum_ms: 40.0, sdv_ms: 5.0, mb: 512.0 };
    let context = RowContext { total_operations: 4321, uncertainty: 0.01234, collections };
    let message = [header(&kinds), row(&kinds, "insert", &span, &span.kinds[0], &context)].join("\n");
    let golden = "\
type       total ops,    op/s,    pk/s,   row/s,    mean,     med,     .95,     .99,    .999,     max,   time,   stderr, errors,  gc: #,  max ms,  sum ms,  sdv ms,      mb, backlog
insert,         4321,     100,     100,     200,    50.5,    50.0,    95.0,    99.0,   100.0,   100.0,    5.0,  0.01234,      2,      2,      31,      40,       5,     512,      12";
    assert_eq!(message, golden);
    let unknown = RowContext { collections: Collections::default(), ..context };
    let message = row(&kinds, "total", &span, &span.total, &unknown);
    assert!(message.ends_with("  0.01234,      2,      -,       -,       -,       -,       -,      12"), "{message}");
    let first = RowContext { uncertainty: f64::NAN, ..unknown };
    assert!(!row(&kinds, "total", &span, &span.total, &first).contains("NaN"), "one rate has no error yet");
}

#[test]
fn results_are_those_of_cassandra_stress() {
    let interval = one_interval();
    let kinds: Vec<_> = interval.tallies.iter().map(Totals::of).collect();
    let total = Totals::of(&tally("total", &(1..=100).map(f64::from).chain([1.0]).collect::<Vec<_>>(), 2));
    let collections = Collections { count: 66.0, max_ms: 31.0, sum_ms: 1188.0, sdv_ms: 7.0, mb: 13_505.536 };
    let message = results(&total, &kinds, Duration::from_millis(33_400), &collections);
    let golden = "

Results:
Op rate                   :        3 op/s  [get: 0 op/s, insert: 3 op/s]
Partition rate            :        3 pk/s  [get: 0 pk/s, insert: 3 pk/s]
Row rate                  :        6 row/s [get: 0 row/s, insert: 6 row/s]
Latency mean              :   50.0 ms [get: 1.0 ms, insert: 50.5 ms]
Latency median            :   50.0 ms [get: 1.0 ms, insert: 50.0 ms]
Latency 95th percentile   :   95.0 ms [get: 1.0 ms, insert: 95.0 ms]
Latency 99th percentile   :   99.0 ms [get: 1.0 ms, insert: 99.0 ms]
Latency 99.9th percentile :  100.0 ms [get: 1.0 ms, insert: 100.0 ms]
Latency max               :  100.0 ms [get: 1.0 ms, insert: 100.0 ms]
Total partitions          :        101 [get: 1, insert: 100]
Total errors              :          2 [get: 0, insert: 2]
Total GC count            : 66
Total GC memory           : 13.189 GiB
Total GC time             :    1.2 seconds
Avg GC time               :   18.0 ms
StdDev GC time            :    7.0 ms
Total operation time      : 00:00:33
";
    assert_eq!(message, golden);
    for unknown in [Collections::default(), Collections { count: 0.0, sum_ms: 0.0, sdv_ms: 0.0, ..collections }] {
        let message = results(&total, &kinds, Duration::from_millis(33_400), &unknown);
        assert!(!message.contains("NaN") && message.contains("Avg GC time               :      - ms"), "{message}");
    }
}

#[test]
fn the_hdr_log_is_read_by_hdrhistogram() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.hdr");
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_311_644_250);
    let mut log = HdrLog::create(&path, started, true).unwrap();
    log.add(&one_interval()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("#[BaseTime: 1795311644.000 (seconds since epoch)]\n"), "{text}");
    assert!(!text.contains("Divisor"));
    assert_eq!(text.lines().filter(|line| line.starts_with("Tag=")).count(), 4);
    let (mut found, mut deserializer) = (0, Deserializer::new());
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        let Ok(LogEntry::Interval(line)) = entry else { continue };
        if line.tag().unwrap().as_str() != "insert-rt" {
            continue;
        }
        found += 1;
        assert_eq!((line.start_timestamp(), line.duration()), (Duration::from_millis(4250), Duration::from_secs(1)));
        assert!((line.max() - 100.0).abs() < 0.1);
        let bytes = base64::engine::general_purpose::STANDARD.decode(line.encoded_histogram()).unwrap();
        let histogram: Histogram<u64> = deserializer.deserialize(&mut &bytes[..]).unwrap();
        assert_eq!(histogram.len(), 100);
        assert!(histogram.max().abs_diff(100_000_000) < 100_000);
    }
    assert_eq!(found, 1);
}

#[test]
fn json_comes_back_and_other_versions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let mut run = run("r1", 1.0);
    run.write(&path).unwrap();
    let back = Run::read(&path).unwrap();
    assert_eq!((back.total.clone(), back.spans.len(), back.servers.samples.len()), (run.total.clone(), 120, 246));
    run.version += 1;
    run.write(&path).unwrap();
    let error = format!("{:#}", Run::read(&path).unwrap_err());
    assert!(error.ends_with("version 2 of cassiterite-run; this command knows version 1"), "{error}");
}

#[test]
fn the_page_fetches_nothing_and_shows_everything() {
    let text = html::page("A title", &[run("r1", 1.0)]).unwrap();
    assert_eq!(lab_testkit::page::points_outside(&text), None);
    for shown in [
        "Response time",
        "Throughput",
        "Errors",
        "Backlog",
        "Server CPU",
        "GC pauses",
        "Allocation",
        "Compactions",
        "Disk writes",
        "Memory",
        "Latency by percentile",
        "P99.9",
        "<b>SLA missed: p99&lt;=10ms (",
        "at 994 of 1 k operations per second.</b>",
        "3 stale (3 of them allowed by consistency level LOCAL_ONE)",
        "cassiterite stress user",
        "sha256 ",
        "no GC log here",
        "prefers-color-scheme: dark",
        "The charts need JavaScript",
        "Copyright (c) 2022 Leon Sorokin",
        r#""quantity":"bytes_per_s""#,
        "12 s, 11845 operations that do not count",
    ] {
        assert!(text.contains(shown), "{shown}");
    }
    assert!(!text.contains("Disk reads"), "what nobody measured is not drawn");
}

#[test]
fn every_page_has_ten_tiles_and_concludes() {
    let page = |run: &Run| html::page("r", std::slice::from_ref(run)).unwrap();
    let tiles = |run: &Run| page(run).matches("<div class=\"tile\">").count();
    let mut bare = run("r1", 1.0);
    assert_eq!(tiles(&bare), 10);
    assert_eq!(tile(&bare, "wrong rows"), "0", "three are allowed by the level");
    assert!(page(&bare).contains("3 more allowed by the level; 4.8 k checked"));
    (bare.servers, bare.checked.on) = (Record::default(), false);
    assert_eq!(tiles(&bare), 10);
    assert_eq!(
        (tile(&bare, "time in GC pauses"), tile(&bare, "wrong rows")),
        ("not measured".into(), "not checked".into())
    );
    bare.slas.clear();
    assert!(
        page(&bare).contains("<b>Valid: 994 of 1 k operations per second, half of them within "),
        "{}",
        page(&bare)
    );
    bare.invalid = ["client: late", "ended by Ctrl-C"].map(str::to_owned).into();
    assert!(page(&bare).contains("<b>INVALID: believe none of these figures. client: late, and one more reason.</b>"));
    let several = |runs: &[Run]| html::page("r", runs).unwrap();
    let two = [run("stock", 1.6), run("cassiterite", 1.0)];
    assert!(several(&two).contains("<b>P99 was lowest in cassiterite ("), "the faster one");
    assert!(
        several(&[bare, run("stock", 1.6)]).contains("<b>INVALID: 1 of 2 runs. There are not two runs to compare.</b>")
    );
}

#[test]
fn a_heading_never_says_the_title_again() {
    let headings = |title: &str| {
        let text = html::page(title, &[run("r1", 1.0)]).unwrap();
        let of = |tag: &str| {
            let (_, rest) = text.split_once(&format!("<{tag}>"))?;
            Some(rest.split('<').next().unwrap().to_owned())
        };
        (of("h1").unwrap(), of("h2"))
    };
    let operation = "user ops(insert=24,get=1)";
    assert_eq!(headings(operation), (operation.to_owned(), Some("r1".to_owned())));
    assert_eq!(headings("r1"), ("r1".to_owned(), Some(operation.to_owned())));
    assert_eq!(headings("Mine"), ("Mine".to_owned(), Some(format!("r1: {operation}"))));
    let mut alike = run("r1", 1.0);
    alike.name = alike.operation.clone();
    let text = html::page(operation, &[alike]).unwrap();
    assert!(!text.contains("<h2>"), "there is nothing more to say");
}

/// What a tile of the page shows.
fn tile(run: &Run, name: &str) -> String {
    let text = html::page("r", std::slice::from_ref(run)).unwrap();
    let (before, _) = text.split_once(&format!("</div><div class=\"name\">{name}</div>")).unwrap();
    before.rsplit('>').next().unwrap().to_owned()
}

#[test]
fn the_cpu_of_servers_is_that_of_all_operations_although_samples_cover_a_part() {
    let mut run = run("r1", 1.0);
    for sample in &mut run.servers.samples {
        sample.cpu_s = Some(0.5);
    }
    // Two halves of a core for 120 s, and 119,250 operations.
    assert_eq!(tile(&run, "server CPU per operation"), "1.01 ms");
    run.servers.samples.retain(|sample| sample.from_s < 30.0);
    assert_eq!(tile(&run, "server CPU per operation"), "1.01 ms");
}

#[test]
fn charts_in_which_nothing_happened_are_named_only() {
    let mut quiet = run("r1", 1.0);
    for span in &mut quiet.spans {
        span.backlog = 0;
    }
    for sample in &mut quiet.servers.samples {
        (sample.compactions, sample.disk_read_bytes) = (Some(0), Some(0));
    }
    let text = html::page("Quiet", &[quiet]).unwrap();
    assert!(text.contains("Zero during the whole run: Backlog, Compactions, Disk reads."));
    assert!(!text.contains("<b>Backlog</b>") && text.contains("<b>Errors</b>"));
}

#[test]
fn text_of_a_fault_cannot_leave_the_page() {
    let text = html::page("<img>", &[run("r1", 1.0)]).unwrap();
    assert!(!text.contains("<img>") && !text.contains("a</script><b>"));
}

#[test]
fn runs_are_added_to_a_page_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.html");
    html::append(&path, Some("Two"), run("stock", 1.6)).unwrap();
    html::append(&path, None, run("cassiterite", 1.0)).unwrap();
    html::append(&path, None, run("stock", 1.5)).unwrap();
    let (runs, title) = html::read(&path).unwrap();
    assert_eq!(runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["cassiterite", "stock"]);
    assert_eq!(title.as_deref(), Some("Two"));
    std::fs::write(&path, "<html>mine</html>").unwrap();
    let error = html::append(&path, None, run("stock", 1.5)).unwrap_err().to_string();
    assert!(error.ends_with("is not a page of runs; it is left as it is"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "<html>mine</html>");
}

#[test]
fn how_late_the_client_was_is_said_of_open_loops_only() {
    let of = |outcome: &Outcome| {
        Run::new(About::default(), outcome, Judgement::default(), Record::default(), Environment::now(None))
    };
    let open = of(&outcome(1.0));
    assert!((open.late.unwrap().p50_ms - 0.06).abs() < 0.001, "{:?}", open.late);
    assert!(html::page("r", &[open]).unwrap().contains("started late by P50 60 µs, P99 2 ms"));
    assert_eq!(of(&Outcome { rate_per_s: None, ..outcome(1.0) }).late, None);
    assert_eq!(of(&Outcome { late_ns: latencies([]), ..outcome(1.0) }).late, None, "nothing was seen: not 0");
}

#[test]
fn slas_are_judged_on_response_time() {
    let outcome = outcome(1.0);
    let judge = |text: &str| text.parse::<Sla>().unwrap().judge(&outcome).unwrap();
    assert!(judge("p50<=2ms").met && judge("get:p50<=2ms").met && !judge("p99.9<=100ms").met);
    assert!(judge("max<=1s").met && !judge("max<=500ms").met && judge("mean<=1s").met);
    assert!(judge("rate>=900/s").met && !judge("rate>=1001/s").met);
    assert!(
        judge("errors<=7").met && !judge("errors<=6").met && judge("errors<=0.1%").met && judge("get:errors<=0").met
    );
    let error = "scan:p99<=1ms".parse::<Sla>().unwrap().judge(&outcome).unwrap_err().to_string();
    assert_eq!(error, "-sla scan:p99<=1ms: there is no 'scan', only insert, get");
}

#[test]
fn a_fixed_rate_that_was_kept_meets_that_rate() {
    let is_met = |sla: &str, outcome: &Outcome| sla.parse::<Sla>().unwrap().judge(outcome).unwrap().met;
    // The last operations end after the last one was due.
    let all = outcome(1.0);
    let due = Duration::from_secs_f64(all.tallies.iter().map(|tally| tally.operations as f64).sum::<f64>() / 1000.0);
    let after = Duration::from_millis(40);
    let kept = Outcome { elapsed: due + after, after, ..all };
    assert!(is_met("rate>=1000/s", &kept) && !is_met("rate>=1001/s", &kept));
    assert!(!is_met("rate>=1000/s", &Outcome { after: Duration::ZERO, ..kept }));

    let second =
        |ms: &[f64]| Outcome { elapsed: Duration::from_secs(1), tallies: vec![tally("get", ms, 1)], ..outcome(1.0) };
    assert!(is_met("rate>=1000/s", &second(&[1.0; 999])), "one operation is rounding");
    assert!(!is_met("rate>=1000/s", &second(&[1.0; 998])));
    assert!(!is_met("get:rate>=1/s", &second(&[])), "nothing is no rate");
}

fn judged(outcome: &Outcome, slas: &[&str]) -> Run {
    let slas: Vec<Sla> = slas.iter().map(|text| text.parse().unwrap()).collect();
    let judgement = Judgement::of(&slas, outcome).unwrap();
    Run::new(About::default(), outcome, judgement, Record::default(), Environment::now(None))
}

#[test]
fn an_sla_on_errors_is_judged_by_its_own_bound() {
    let reason = "7 of 120000 operations failed (0.006 %, limit 0.000 %)".to_owned();
    let outcome = Outcome { invalid: vec![reason.clone()], failed: Some(reason.clone()), ..outcome(1.0) };
    let of = |slas: &[&str]| judged(&outcome, slas);
    assert_eq!(of(&["errors<=1%"]).verdict(), RunVerdict::Pass);
    assert_eq!(of(&["errors<=6"]).failure(), Some("SLA missed: errors<=6 (7)".to_owned()));
    assert_eq!(of(&["insert:errors<=7"]).verdict(), RunVerdict::Pass, "only inserts failed");
    assert_eq!(of(&["get:errors<=7"]).invalid, std::slice::from_ref(&reason), "nothing was promised of the inserts");
    assert_eq!(of(&["p50<=2ms"]).invalid, [reason], "nothing was promised of errors");
}

#[test]
fn exit_codes_follow_the_standing() {
    let mut run = run("r", 1.0);
    assert_eq!((run.verdict(), run.verdict().exit_code()), (RunVerdict::Missed, 1));
    assert_eq!(run.verdict().last_line(), "FAILURE");
    run.invalid.push("client CPU".to_owned());
    assert_eq!((run.verdict(), run.verdict().exit_code()), (RunVerdict::Invalid, 2));
    assert_eq!(run.verdict().last_line(), "INVALID");
    run.invalid.clear();
    run.slas.clear();
    assert_eq!((run.verdict(), run.verdict().exit_code(), run.verdict().last_line()), (RunVerdict::Pass, 0, "END"));
}

#[test]
fn servers_that_cannot_keep_up_miss_an_sla_and_spoil_a_run_without_one() {
    let full = "rate not reached: 833 of 1000 operations per second; all 64 in flight were busy, service P50 9.0 ms";
    let outcome = |client: Option<&str>| Outcome {
        invalid: [full].into_iter().chain(client).map(str::to_owned).collect(),
        saturated: vec![full.to_owned()],
        ..outcome(1.0)
    };
    let run = judged(&outcome(None), &["p50<=2ms"]);
    assert_eq!((run.verdict(), run.invalid.len()), (RunVerdict::Missed, 0));
    assert_eq!(run.failure(), Some(format!("SLA missed: rate=1000/s ({full})")));
    let run = judged(&outcome(None), &[]);
    assert_eq!(run.failure(), Some(format!("the run is invalid: {full}")));
    let run = judged(&outcome(Some("client: late")), &["p50<=2ms"]);
    assert_eq!((run.verdict(), run.invalid), (RunVerdict::Invalid, vec!["client: late".to_owned()]));
}

/// Writes pages for a look at them in a browser: `PAGES=DIR cargo test --test report -- --ignored`.
#[test]
#[ignore = "writes pages for a browser into the folder PAGES"]
fn pages_for_a_browser() {
    let Ok(folder) = std::env::var("PAGES") else { return };
    let folder = std::path::Path::new(&folder);
    html::write(&folder.join("one.html"), "user ops(insert=24,get=1)", &[run("r1", 1.0)]).unwrap();
    html::write(&folder.join("two.html"), "stock beside cassiterite", &[run("stock", 1.6), run("cassiterite", 1.0)])
        .unwrap();
}
